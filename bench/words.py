"""Invented text with the statistics of real text, made fast enough for millions of messages.

Word frequency falls as 1/rank, so that searches meet common, middling and rare terms as they do in
real histories. Sampling words for each message would take most of the build; therefore sentences
are sampled once per seed, and a message joins a few of them.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from random import Random

SENTENCES = 20_000
VOCABULARY = 4_000

COMMON = (
    "the to of and a in is it that for on with this as be we you not from are can by or at if have "
    "an will then so was when but all use run file docker one has no which there error should "
    "server after what same test now only set new log first more code line data still here out "
    "time need into check also back kubernetes before name value build why how path does change "
    "work config call list user add port fix it's key start see make other than open up read "
    "write step try done been using without like next two service request just between old "
    "query table container branch deploy any its image memory since index again wait look "
    "version"
)
TECHNICAL = (
    "cluster token cache commit garden script python module shell backup volume worker thread "
    "queue schema proxy router socket timeout latency replica migration endpoint webhook package "
    "compose nginx postgres sqlite redis terraform ansible pipeline artifact linter parser "
    "compiler kernel daemon cron scheduler payload header cookie session prompt agent model "
    "embedding vector gradient dataset notebook kettle bicycle recipe invoice calendar harbour "
    "lantern orchard violin meadow pottery glacier compass ferry tulip"
)
CJK = "容器 部署 服务器 日志 数据库 错误 网络 测试 花园 缓存 请检查 为什么 データ 検索 庭園 서버"
TOOLS = ("terminal", "read_file", "web_search", "write_file", "search_files", "browser_open")
ONSETS = (*"bdfgklmnprstvz", "br", "dr", "gr", "kl", "pl", "st", "tr")
SYLLABLES = [onset + vowel for onset in ONSETS for vowel in "aeiou"]


def vocabulary() -> list[str]:
    """The words by falling frequency, the same for every seed so that benchmarks may name them."""
    words = list(dict.fromkeys((COMMON + " " + TECHNICAL).split()))
    known = set(words)
    rng = Random(0)
    while len(words) < VOCABULARY:
        word = "".join(rng.choices(SYLLABLES, k=rng.choice((2, 2, 3, 3, 4)))) + rng.choice("nrlst")
        if word not in known:
            known.add(word)
            words.append(word)
    return words


@dataclass(frozen=True, slots=True)
class Phrases:
    """The pools that messages are put together from."""

    sentences: Sequence[str]
    outputs: Sequence[str]
    """What tools print: lines joined as JSON escapes them."""
    essays: Sequence[str]
    """Markdown of several kilobytes."""
    foreign: Sequence[str]
    """Chinese, Japanese and Korean, without spaces as they are written."""
    calls: Sequence[tuple[str, str, str]]
    """Tool name, and the JSON of one call before and after its id."""


def phrases(seed: int) -> Phrases:
    rng = Random(f"words {seed}")
    words = vocabulary()
    # +2 flattens the head: without it "the" would be in nine of ten messages
    weights = list(accumulate(1 / (rank + 2) for rank in range(1, len(words) + 1)))
    drawn = iter(rng.choices(words, cum_weights=weights, k=SENTENCES * 17))
    sentences: list[str] = []
    while len(sentences) < SENTENCES:
        text = " ".join(next(drawn) for _ in range(rng.randint(4, 16)))
        sentences.append(f"{text[0].upper()}{text[1:]}{rng.choice('...?!:')}")
    cjk = CJK.split()
    foreign = ["".join(rng.choices(cjk, k=rng.randint(3, 9))) + "。" for _ in range(400)]
    outputs = ["\\n".join(rng.choices(sentences, k=rng.randint(1, 5))) for _ in range(4_000)]
    return Phrases(
        sentences,
        outputs,
        [_essay(rng, sentences) for _ in range(200)],
        foreign,
        [_call(rng, words) for _ in range(2_000)],
    )


def _essay(rng: Random, sentences: Sequence[str]) -> str:
    parts = ["# " + rng.choice(sentences)]
    for _ in range(rng.randint(4, 14)):
        parts.append(" ".join(rng.choices(sentences, k=rng.randint(2, 7))))
        if rng.random() < 0.4:
            lines = "\n".join(f"print({text!r})" for text in rng.choices(sentences, k=3))
            parts.append(f"```python\n{lines}\n```")
        else:
            parts.append("\n".join("- " + text for text in rng.choices(sentences, k=3)))
    return "\n\n".join(parts)


def _call(rng: Random, words: Sequence[str]) -> tuple[str, str, str]:
    tool = rng.choice(TOOLS)
    # cubed: the head of the vocabulary is asked for most
    asked = " ".join(words[int(rng.random() ** 3 * len(words))] for _ in range(rng.randint(1, 4)))
    function = {"name": tool, "arguments": json.dumps({"query": asked})}
    return tool, '{"id": "', f'", "type": "function", "function": {json.dumps(function)}}}'
