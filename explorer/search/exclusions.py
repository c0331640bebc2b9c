"""What NOT leaves out where it is about conversations as a whole: all of which some message holds
it, or a title.

Where messages are looked for, `NOT word` is about each of them, and the matcher decides. Where
conversations are listed by what they are, no message is there to decide on; and where they are to
be deleted, a message without the word must not speak for the others.
"""

from collections.abc import Callable, Iterable

from explorer.cancel import CancelToken
from explorer.model import Kind
from explorer.search.engine import scan
from explorer.search.language.query import Clause, Query
from explorer.search.language.vocabulary import MESSAGE_FIELDS, PLACE_FIELD
from explorer.search.request import Request
from explorer.stores.base import Candidate
from explorer.stores.catalog import Catalog


def denied_words(query: Query) -> Query | None:
    """A search for any of the words that must not be there, in the places that `in:` names; None
    where there are none."""
    terms = tuple(term for clause in query.clauses if clause.negated for term in clause.any_of)
    places = tuple(field for field in query.fields if field.name == PLACE_FIELD)
    return query._replace(clauses=(Clause(terms),), fields=places) if terms else None


def denied_fields(query: Query) -> list[Query]:
    """A search for each thing that must not be so of a message: its role, its tool, what it has."""
    return [
        query._replace(clauses=(), fields=(field._replace(negated=False),))
        for field in query.fields
        if field.negated and field.name in MESSAGE_FIELDS
    ]


def holders(
    request: Request, token: CancelToken, tell: Callable[[float], None] = lambda done: None
) -> frozenset[int]:
    """The conversations in which something matches, a message or a title, whatever hides them;
    `tell` gets how much has been read, from 0 to 1."""
    catalog = request.catalog
    found = set(map(catalog.tip, request.titled()))

    def is_open(one: Candidate) -> bool:
        # One message is enough: those beside it need not be read.
        key = one.session_key
        return key is not None and catalog.has(key) and catalog.tip(key) not in found

    for stretch in scan(request, token, is_open):
        found.update(
            catalog.tip(hit.session_key) for hit in stretch.found if hit.session_key is not None
        )
        if stretch.below is not None:
            tell(stretch.done)
    return frozenset(found)


def denied(
    request: Request, token: CancelToken, tell: Callable[[float], None] = lambda done: None
) -> frozenset[int]:
    """The conversations with a word that must not be there."""
    words = denied_words(request.query)
    return holders(request.of(words), token, tell) if words else frozenset()


def with_owners(catalog: Catalog, tips: Iterable[int]) -> frozenset[int]:
    """These conversations, and those whose subagents they are: a delete takes subagents along."""
    found: set[int] = set()
    waiting = list(tips)
    while waiting:
        tip = waiting.pop()
        if tip in found:
            continue
        found.add(tip)
        for part in catalog.chain(tip):
            parent = catalog.parent(part)
            if parent is not None and catalog.kind(part) is Kind.SUBAGENT and catalog.has(parent):
                waiting.append(catalog.tip(parent))
    return frozenset(found)
