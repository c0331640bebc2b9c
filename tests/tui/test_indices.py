"""Where things are: both indices against plain lists."""

from hypothesis import given
from hypothesis import strategies as st

from explorer.browse.headings import Group, RowIndex, by_day
from explorer.transcript.document import HeightIndex

heights = st.lists(st.integers(1, 9), min_size=1, max_size=200)


@given(heights, st.lists(st.tuples(st.integers(0, 199), st.integers(0, 30)), max_size=20))
def test_items_begin_where_the_heights_before_them_end(
    start: list[int], changes: list[tuple[int, int]]
) -> None:
    index = HeightIndex(start)
    plain = list(start)
    for item, height in changes:
        if item < len(plain):
            plain[item] = height
            index.set(item, height)
    assert index.total == sum(plain)
    for item in range(len(plain)):
        assert index.height(item) == plain[item]
        assert index.start(item) == sum(plain[:item])
    lines = [(item, inside) for item, height in enumerate(plain) for inside in range(height)]
    assert [index.at(line) for line in range(index.total)] == lines


@given(st.lists(st.integers(0, 9), max_size=200))
def test_every_line_belongs_to_the_item_a_plain_list_gives(before: list[int]) -> None:
    start = [*before, 1]
    index = HeightIndex(start)
    lines = [(item, inside) for item, height in enumerate(start) for inside in range(height)]
    assert [index.at(line) for line in range(len(lines))] == lines
    assert index.at(-5) == lines[0]
    assert index.at(len(lines) + 5) == lines[-1]


def test_an_index_of_nothing_is_empty() -> None:
    index = HeightIndex([])
    assert (len(index), index.total, index.at(3)) == (0, 0, (0, 0))


@st.composite
def lists(draw: st.DrawFn) -> tuple[int, int, list[int]]:
    rows = draw(st.integers(1, 60))
    firsts = draw(st.sets(st.integers(1, rows), max_size=6))
    return rows, draw(st.integers(1, 2)), [0, *sorted(firsts - {rows})]


@given(lists())
def test_rows_and_headings_are_on_the_lines_a_plain_list_has_them(
    made: tuple[int, int, list[int]],
) -> None:
    rows, height, firsts = made
    groups = [Group(first, str(first)) for first in firsts]
    index = RowIndex(rows, height, groups)
    plain: list[tuple[str, int, int]] = []
    for row in range(rows):
        if row in firsts:
            plain.append(("heading", firsts.index(row), 0))
        plain += [("row", row, inside) for inside in range(height)]
    assert index.total == len(plain)
    for line, (kind, number, inside) in enumerate(plain):
        if kind == "heading":
            assert index.heading_at(line) == number
            assert index.row_at(line) is None
        else:
            assert index.heading_at(line) is None
            assert index.row_at(line) == (number, inside)
    for row in range(rows):
        assert plain[index.top(row)] == ("row", row, 0)
    assert index.row_at(len(plain)) is None


@given(st.lists(st.floats(1.6e9, 1.79e9), max_size=80))
def test_headings_found_in_leaps_are_those_found_one_by_one(times: list[float]) -> None:
    from explorer.render.figures import day_heading

    now = 1.79e9
    times.sort(reverse=True)
    slow: list[Group] = []
    for row, time in enumerate(times):
        title = day_heading(time, now)
        if not slow or slow[-1].title != title:
            slow.append(Group(row, title))
    assert by_day(len(times), times.__getitem__, now) == tuple(slow)
