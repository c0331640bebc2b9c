"""Strings that have broken terminals, toolkits and layouts, each with a name.

Any place that shows stored text must survive every one of them: the tests of the renderer, the
widgets and the commands all draw from this list. Invisible characters are written as escapes.
"""

ESC = "\x1b"
ST = ESC + "\\"
BEL = "\x07"
_ZWJ = "\u200d"

ESCAPES: list[tuple[str, str]] = [
    ("CSI clears the screen", f"before{ESC}[2J{ESC}[Hafter"),
    ("CSI colours", f"{ESC}[1;31mred{ESC}[0m {ESC}[38:2::255:0:0mtrue{ESC}[m"),
    ("colour inside an escape", f"{ESC}{ESC}[0m[2J"),
    ("alternate screen and mouse", f"{ESC}[?1049h{ESC}[?1003h"),
    ("OSC 0 sets the title", f"{ESC}]0;PWNED{BEL}"),
    ("OSC 8 makes a link", f"{ESC}]8;;https://evil.example{ST}click{ESC}]8;;{ST}"),
    ("OSC 52 writes the clipboard", f"{ESC}]52;c;cm0gLXJmIH4={BEL}"),
    ("OSC never closed", f"{ESC}]0;swallows the rest"),
    ("DCS", f'{ESC}P$q"p{ST}'),
    ("APC and PM", f"{ESC}_Gf=100;AAAA{ST}{ESC}^private{ST}"),
    ("terminal reset", f"{ESC}c"),
    ("C1 forms", "\x9b2J\x9d52;c;aGk=\x9c\x90q\x9c\x85next"),
    ("bells", BEL * 50),
    ("backspaces", "password" + "\b" * 8 + "harmless"),
    ("CR overprint", "rm -rf /\rls -l   \r\nnext\r"),
    ("shift out and in", "\x0elqqk\x0f"),
    ("every C0 and DEL", "".join(map(chr, range(0x20))) + "\x7f"),
    ("NUL", "a\0b\0\0c"),
    ("vertical tab and form feed", "a\vb\fc"),
    ("tabs", "a\tbb\tccc\tdddd\te\n\tx"),
]

INVISIBLES: list[tuple[str, str]] = [
    ("bidi override", "access\u202e\u2066// admin\u2069\u2066 begin"),
    ("bidi marks", "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u2067\u2068\u2069"),
    ("line and paragraph separators", "a\u2028b\u2029c\u0085d"),
    ("zero-width flood", "a" + "\u200b\u200c\u2060\ufeff" * 5_000 + "b"),
    ("soft hyphens", "soft\u00adhyphen\u00ad"),
    ("combining flood", "e" + "\u0301" * 20_000 + "x"),
    ("enclosing flood", "a" + "\u20dd\u20e3" * 500),
    ("Mongolian vowel separator", "\u180e\u180b\u180c"),
    ("joiner flood", _ZWJ * 20_000),
    ("emoji joined without end", f"\U0001f469{_ZWJ}" * 20_000 + "x"),
    ("joiner swallows a letter", f"pass{_ZWJ}word{_ZWJ}"),
    ("selector smuggling", "x" + "".join(map(chr, range(0xE0100, 0xE01F0)))),
    ("selector flood", "\ufe0f" * 20_000),
    ("skin tone flood", "\U0001f44d" + "\U0001f3fb" * 20_000 + f"{_ZWJ}\U0001f44d"),
    ("joined skin tones", ("\U0001f3fb" * 8 + _ZWJ) * 500),
    ("vowel jamo flood", "\u1100" + "\u1161" * 20_000),
    ("tags", "hello" + "".join(map(chr, range(0xE0020, 0xE0080)))),
    ("annotation and object", "\ufff9base\ufffanote\ufffb\ufffc"),
    ("lone surrogates", "\ud800a\udfff\udc80"),
    ("surrogate pair left in halves", "\ud83d\ude00"),
    ("noncharacters", "\ufdd0\ufffe\uffff\U0001fffe\U0010ffff"),
    ("Hangul fillers", "\u115f\u3164\uffa0"),
    ("private use", "\ue0b0 \uf09b \U000f0001"),
]

MARKUP: list[tuple[str, str]] = [
    ("bold", "[bold]not bold[/bold]"),
    ("closes nothing", "[/]"),
    ("click action", "[@click=app.quit]x[/]"),
    ("a path in brackets", "[/usr/bin]"),
    ("indexing", "arr[0] = x[i]"),
    ("log level", "[ERROR] [red]x"),
    ("link", "[link=https://evil.example]x[/link]"),
    ("open bracket", "["),
    ("backslash bracket", "\\[b]"),
    ("variable", "$text-error $$ ${x}"),
    ("markdown", "# h\n```\n[x](javascript:alert(1)) ![](http://x) <b>"),
    ("format fields", "{} {0} %s %(x)s {x!r}"),
]

SCRIPTS: list[tuple[str, str]] = [
    ("emoji family", f"\U0001f468{_ZWJ}\U0001f469{_ZWJ}\U0001f467{_ZWJ}\U0001f466 dinner"),
    ("emoji with tone", f"\U0001f469\U0001f3fd{_ZWJ}\U0001f4bb \U0001f44d\U0001f3ff"),
    ("heart on fire", f"\u2764\ufe0f{_ZWJ}\U0001f525"),
    ("rainbow flag", f"\U0001f3f3\ufe0f{_ZWJ}\U0001f308"),
    ("flags", "\U0001f1e9\U0001f1ea\U0001f1eb\U0001f1f7\U0001f1ea"),
    ("keycaps", "1\ufe0f\u20e3 #\ufe0f\u20e3 *\ufe0f\u20e3"),
    ("Hangul jamo", "\u1112\u1161\u11ab\u1100\u1173\u11af 한글"),
    ("Chinese", "天地玄黄，宇宙洪荒。\u3000日月盈昃"),
    ("Thai", "สวัสดีชาวโลก ยินดีที่ได้รู้จัก"),
    ("Arabic", "مرحبا بالعالم، كيف الحال؟"),
    ("Hebrew with points", "בְּרֵאשִׁית בָּרָא"),
    ("Devanagari", "नमस्ते दुनिया, क्षत्रिय"),
    ("decomposed accents", "e\u0301a\u0308o\u0302 Vie\u0323\u0302t"),
    ("ideographic selector", "葛\U000e0100城"),
    ("no-break spaces", "a\u00a0b\u202fc\u2003d"),
    ("leading mark", "\u0301x"),
]

SIZES: list[tuple[str, str]] = [
    ("nothing", ""),
    ("only spaces", " " * 3_000),
    ("one long line", "x" * 1_000_000),
    ("one long wide line", "字" * 300_000),
    ("many newlines", "\n" * 100_000),
    ("long word after blanks", "\n\t " * 2_000 + "found"),
]

HOSTILE: list[tuple[str, str]] = [*ESCAPES, *INVISIBLES, *MARKUP, *SCRIPTS, *SIZES]
