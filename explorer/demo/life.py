"""Ada at home: food, friends, languages, money, and a cat with opinions."""

from collections.abc import Iterator

from explorer.demo.script import (
    DAY,
    GEMINI,
    HERMES,
    HOUR,
    MINUTE,
    OPUS,
    QWEN,
    SONNET,
    DemoSession,
    picture,
    sh,
    tool,
    web,
)


def _kitchen() -> Iterator[DemoSession]:
    chat = DemoSession("Vegetarian ramen that tastes of something", 3 * HOUR, "telegram", SONNET)
    chat.user(
        "I want a vegetarian ramen broth that tastes of something. last time it was hot water with ambition"
    )
    chat.assistant(
        "Ambition needs layers:\n\n"
        "1. **Kombu dashi**: 10 g kombu, 1 l water, cold, overnight.\n"
        "2. **Roast**: onions, ginger, garlic, one leek, until nearly too dark.\n"
        "3. **Shiitake**: dried, soaked; keep the water.\n"
        "4. **Tare**, per bowl:\n   - 2 tbsp soy sauce\n   - 1 tsp white miso\n   - ½ tsp rice vinegar\n   - a few drops of sesame oil\n     - toasted, not pale\n\n"
        "The salt lives in the tare, not in the broth. That was the hot water's problem."
    )
    chat.user("can I skip the night? it is four now and people come at seven 😬")
    yield chat.assistant(
        "Yes: kombu at 60 °C for an hour, never boiling, then go on. You lose a little depth and keep your guests.\n\n"
        "| When | What |\n|---|---|\n| 16:05 | kombu in warm water, shiitake in a bowl |\n| 16:10 | vegetables into the oven, 230 °C |\n| 17:10 | all together, gentle |\n| 18:30 | strain, mix tare, eggs 6½ min |\n| 19:00 | act surprised that it worked |"
    )

    chat = DemoSession("Sourdough that does not spread", 11 * DAY - 3.8 * HOUR, "whatsapp", GEMINI)
    chat.user(
        "my sourdough spreads like a pancake, photo below. what did I do", image=picture(24, 11)
    )
    chat.assistant(
        "Flat, with large holes near the top and a dense foot: under-kneaded *and* over-proofed, the classic pair. Which flour and how much water?"
    )
    chat.user("750 g flour, 600 g water, kitchen at 27 degrees because summer")
    yield chat.assistant(
        "That is **80 %** hydration in a sauna. Try:\n\n| | now | next |\n|---|---:|---:|\n| Water | 600 g | 520 g |\n| Hydration | 80 % | 69 % |\n| Bulk at 27 °C | 6 h | 3½ h |\n| Folds | 1 | 4 |\n\nWhen the dough has grown by *half*, not doubled, shape it."
    ).ends("idle")

    chat = DemoSession("Lunchbox ideas", 58 * DAY + 3.6 * HOUR, "whatsapp", GEMINI, titled=False)
    chat.user(
        "lunchbox ideas for five days, vegetarian, no microwave at the office, one colleague who fears garlic"
    )
    yield chat.assistant(
        "Mon: soba with cucumber and sesame. Tue: lentils, feta, orange. Wed: omelette roll in rye bread. Thu: potato salad, mustard, dill. Fri: whatever is left, in a wrap, called *a special*. No garlic anywhere; on Friday bring garlic bread for one."
    ).ends("idle")


def _languages() -> Iterator[DemoSession]:
    chat = DemoSession("日本語の練習：自己紹介", 1 * DAY + 4 * HOUR, "telegram", HERMES)
    chat.user(
        "日本語の練習をしたいです。自己紹介を直してください：私はエイダです。プログラマーをします。猫が一つあります。"
    )
    chat.assistant(
        "とても良いです！少しだけ直しますね。\n\n| 元の文 | 直した文 | なぜ |\n|---|---|---|\n| プログラマーを**します** | プログラマー**です** | 職業には「です」 |\n| 猫が**一つあります** | 猫を**一匹飼っています** | 動物は「匹」、「いる・飼う」 |\n\n全部つなげると：\n\n> 私はエイダです。プログラマーです。猫を一匹飼っています。\n\n猫のお名前は？",
        thinks="Beginner level: correct two things, not ten. Counters and です for professions.",
        place="reasoning_content",
    )
    chat.user("猫の名前はモスです。モスは朝五時に歌います。")
    yield chat.assistant(
        "完璧です！「モスは朝五時に歌います」。文法も正しいし、モスさんの気持ちも伝わります。😹 “Moss sings at five in the morning” needs no correction, only earplugs."
    )

    chat = DemoSession("単語カード: N5 の動詞", 27 * DAY - 5.0 * HOUR, "telegram", HERMES)
    chat.user(
        "make me a table of twenty N5 verbs with the te-form, the ones I mix up please (置く/起きる, 着る/切る …)"
    )
    yield chat.assistant(
        "始めましょう。混ざりやすい組だけ：\n\n| 動詞 | 読み | て形 | 意味 |\n|---|---|---|---|\n| 置く | おく | 置いて | to put |\n| 起きる | おきる | 起きて | to get up |\n| 着る | きる | 着て | to wear |\n| 切る | きる | 切って | to cut |\n| 帰る | かえる | 帰って | to go home |\n| 変える | かえる | 変えて | to change |\n| 飼う | かう | 飼って | to keep (a cat) |\n| 買う | かう | 買って | to buy |\n\n残りの十二は明日。一度に全部は多すぎます。"
    ).ends("daily")

    chat = DemoSession("دعوة زفاف ليلى", 40 * DAY - 3.3 * HOUR, "whatsapp", GEMINI)
    chat.user(
        "My friend Layla sent her wedding invitation in Arabic. What does it say and how do I answer nicely?\n\nيسعدنا دعوتكم لحضور حفل زفافنا يوم الجمعة الساعة السابعة مساءً. حضوركم يزيد فرحتنا."
    )
    chat.assistant(
        "It says: *“We are happy to invite you to our wedding on Friday at seven in the evening. Your being there adds to our joy.”*\n\nA warm answer:\n\n> ألف مبروك يا ليلى! يشرفني الحضور، وأتمنى لكما حياة مليئة بالفرح.\n\n(“A thousand congratulations, Layla! I will be honoured to come, and I wish you both a life full of joy.”)"
    )
    chat.user("and a short שלום for her grandmother, who speaks Hebrew?")
    yield chat.assistant(
        "> מזל טוב! אני שמחה לחגוג איתכם.\n\n“Congratulations! I am happy to celebrate with you.” Said slowly, with a smile, it works in any accent."
    ).ends("idle")


def _people() -> Iterator[DemoSession]:
    chat = DemoSession(
        "Reply to the landlord about the boiler", 1 * DAY + 1 * HOUR, "email", SONNET
    )
    chat.user(
        "Subject: boiler\n\nDraft a reply to my landlord: boiler cold since Sunday, third time this year, I want a date, not “soon”. Firm but friendly."
    )
    chat.assistant(
        "Dear Mr Okonjo-Vale,\n\nthe boiler has been cold since Sunday evening, for the third time this year. I have reset it as the plate says, without success.\n\nCould you name the day this week on which somebody will come? I am at home on Wednesday and Friday until noon.\n\nWith kind regards (and cold hands)\nAda"
    )
    yield (
        chat.user("keep the cold hands, send it")
        .does(
            tool(
                "send_message",
                {"to": "landlord", "channel": "email"},
                {"success": True, "message_id": "demo-1042"},
            )
        )
        .assistant("Sent. I will look for an answer tomorrow morning.")
    )

    chat = DemoSession(
        "Birthday for a friend who has everything",
        8 * DAY - 5.8 * HOUR,
        "tui",
        OPUS,
        cwd="/home/ada/notes",
    )
    chat.user(
        "a birthday present for Imre, who has everything, repairs radios, and cries at documentaries about trees 🌲"
    )
    chat.assistant(
        "For a man with everything, give something that grows or something that hums:\n\n- **A tree with a plate**: the city lets you adopt one; he gets to choose which.\n- **A broken radio** from the year he was born. Broken on purpose.\n- **An evening**: his five best tree documentaries, a blanket, tissues. 👨‍👩‍👧‍👦\n  - Snacks shaped like leaves.\n  - You, pretending that it is the dust.",
        thinks="Radios and trees. A broken radio is the better gift than a working one, since he repairs them.",
    )
    chat.user("the broken radio AND the tree")
    other = chat.branched("Birthday poem for Imre", 20 * MINUTE)
    yield chat.assistant(
        "Then the tree comes in the card and the radio in the box. I found adoption forms for the lindens in Mill Street. 👩‍🌾"
    ).ends("branched")
    other.user("now a four-line poem for the card, must rhyme linden with something")
    yield (
        other.assistant(
            "*Nothing quite rhymes with a linden,*\n*though sailors might offer “the wind in”;*\n*so here is a tree with your name on,*\n*and a radio waiting to shame one.*"
        )
        .user("“the wind in” 😂 sold")
        .assistant("Printed in your heart, and to `card.txt`.")
        .ends("tui_close")
    )

    chat = DemoSession("What is eating my basil?", 13 * DAY - 2.9 * HOUR, "telegram", GEMINI)
    chat.user("what is eating my basil? it comes at night", image=picture(224, 5))
    yield (
        chat.assistant(
            "Round holes with clean edges, and silver trails at the left rim of the pot: **slugs**, small ones. A copper ring around the pot, or a saucer of beer beside it."
        )
        .user("they get the good beer?")
        .assistant("They get the alcohol-free one. They do not check the label.")
        .ends("idle")
    )

    chat = DemoSession(
        "Moss the cat walks on the keyboard",
        22 * DAY - 1.3 * HOUR,
        titled=False,
        cwd="/home/ada",
        model=QWEN,
        cost="included",
    )
    chat.user(
        "sssssssssssssssssssd;;;;;;;;;;;;;; sorry that was the cat. how do I lock the keyboard but keep the screen on?"
    )
    chat.does(
        sh(
            "xinput list --name-only | grep -i keyboard",
            "Virtual core keyboard\nAT Translated Set 2 keyboard",
        )
    )
    yield chat.assistant(
        "`xinput disable 'AT Translated Set 2 keyboard'`, and `enable` to get it back (with the mouse, or by negotiating with Moss). I bound it to a lid of tuna in spirit, and to Super+M in fact."
    ).ends()

    chat = DemoSession("Couch to ten kilometres", 75 * DAY + 4.4 * HOUR, "telegram", HERMES)
    chat.user(
        "a running plan from couch to 10 km in ten weeks, knees of a 38 year old, hates Mondays"
    )
    yield (
        chat.assistant(
            "No Mondays, promised.\n\n| Week | Wed | Fri | Sun |\n|---:|---|---|---|\n| 1 | 6×1 min run | 6×1 min | 20 min walk |\n| 3 | 5×3 min | 4×4 min | 3 km easy |\n| 5 | 2×10 min | 3×8 min | 5 km easy |\n| 8 | 25 min | hills, short | 8 km easy |\n| 10 | 20 min | rest | **10 km** 🎉 |\n\nIf a knee complains on the stairs the next day, repeat the week."
        )
        .user("and if the knee complains about Mondays")
        .assistant("Then it is a sensible knee.")
        .ends("daily")
    )

    chat = DemoSession("Bicycle: the click under load", 105 * DAY - 1.6 * HOUR, "telegram", SONNET)
    chat.user(
        "my bicycle clicks once per turn of the crank, only uphill. bottom bracket or something cheap?"
    )
    yield (
        chat.assistant(
            "Cheap things first, in this order:\n\n1. Pedals: take out, grease, tighten.\n2. Chainring bolts: a quarter turn each.\n3. Seat post (it creaks when *you* push, too).\n4. Only then the bottom bracket.\n\nStand up while climbing: if it goes away, it is the saddle."
        )
        .user("it was the pedal!! four euros of grease")
        .assistant("The best kind of bug: it was the last thing touched, and it cost a sandwich.")
        .ends("idle")
    )


def _papers() -> Iterator[DemoSession]:
    chat = DemoSession(
        "Receipts for the tax folder", 31 * DAY - 4.7 * HOUR, "telegram", GEMINI, cost="actual"
    )
    chat.user("sort these receipts for the tax folder, here is the first", image=picture(16, 3))
    chat.does(
        tool(
            "vision_analyze",
            {"question": "shop, date, total, VAT"},
            {"success": True, "analysis": "Stationer, 3 items, total 41.80, VAT 7.94"},
        )
    )
    yield chat.assistant(
        "Stationer, **41.80**, of which VAT 7.94 → *office supplies*. Next one, please. I have named it `01-stationer.png`."
    ).ends("idle")

    chat = DemoSession(
        "Which health insurance letter is this",
        150 * DAY - 3.0 * HOUR,
        "email",
        SONNET,
        titled=False,
    )
    chat.user(
        "Subject: Fwd: your contribution statement\n\nIs this letter from the insurance something I must answer, or the yearly one that only looks like it?"
    )
    yield chat.assistant(
        "The yearly one. Nothing to do; keep it for the tax return. It only *dresses* like a demand."
    ).ends("session_reset")

    chat = DemoSession(
        "Compare the three energy offers",
        182 * DAY + 5.4 * HOUR,
        "cli",
        OPUS,
        cwd="/home/ada/papers",
    )
    chat.user(
        "compare the three energy offers in ~/papers/energy, I use 1,900 kWh a year and want no surprises in year two"
    )
    chat.does(
        sh(
            "pdftotext offer_b.pdf - | grep -iE 'price|bonus|months'",
            "Working price 31.2 ct/kWh\nBonus 120 EUR after 12 months\nPrice guarantee 6 months",
        ),
        sh(
            "pdftotext offer_c.pdf - | grep -iE 'price|bonus|months'",
            "Working price 33.9 ct/kWh\nPrice guarantee 24 months",
        ),
    )
    yield (
        chat.assistant(
            "| Offer | Year 1 | Year 2 | Surprise |\n|---|---:|---:|---|\n| A | 702 € | 702 € | none, but dear |\n| B | 593 € | *anything* | guarantee ends after 6 months |\n| **C** | 644 € | 644 € | none |\n\nC. The bonus in B is bait with a nice font.",
            thinks="She said no surprises in year two, so the guarantee matters more than the bonus.",
        )
        .user("signed C")
        .assistant("Filed under `papers/energy/signed`.")
        .ends()
    )

    chat = DemoSession(
        "What should I read after the lighthouse book",
        240 * DAY - 5.3 * HOUR,
        "telegram",
        HERMES,
        titled=False,
    )
    chat.user(
        "what should I read next? I liked the quiet book about the lighthouse and hated the loud one about the lawyer"
    )
    chat.does(
        web(
            "quiet novels about remote work and weather",
            (
                "Twelve quiet novels",
                "https://shelf.example/quiet",
                "Islands, archives, one lawyer (retired).",
            ),
        )
    )
    yield chat.assistant(
        "Try *The Ice House Ledger* (an archive, snow, one argument in 300 pages) or *Salt Clerk*. Both are quiet. Neither contains a living lawyer."
    ).ends("daily")

    chat = DemoSession(
        "Chess: why was Nd5 better", 290 * DAY + 1.1 * HOUR, "discord", QWEN, cost="included"
    )
    chat.user("chess: why was Nd5 better than taking the pawn? I won anyway but the engine sulks")
    yield chat.assistant(
        "Because `Nd5` attacks c7 *and* blocks the file; the pawn could not run away. The engine does not sulk, it merely remembers.",
        thinks="She won, so keep it light; one tactical reason is enough.",
        place="content",
    ).ends("idle")

    chat = DemoSession("Wall colours for the hallway", 320 * DAY - 1.7 * HOUR, "whatsapp", GEMINI)
    chat.user(
        "wall colours for a dark hallway with a humming server in the cupboard, nothing that looks like a dentist"
    )
    yield (
        chat.assistant(
            "Warm off-white above, a deep *moss* green up to the chair rail. It hides bicycle marks, and the cat will feel represented."
        )
        .user("Moss approves. Moss also walked through it.")
        .assistant("Then you have an accent wall. 🐾")
        .ends("idle")
    )


def chats() -> Iterator[DemoSession]:
    yield from _kitchen()
    yield from _languages()
    yield from _people()
    yield from _papers()
