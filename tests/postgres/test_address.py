"""Addresses of databases: what libpq and power-loop take, and nothing that could break or leak."""

from urllib.parse import quote, unquote

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from explorer.errors import UsageError
from explorer.stores.postgres.address import Address, is_address, parse
from explorer.stores.postgres.secrets import remember_typed, scrubbed


@pytest.mark.parametrize(
    "scheme", ["postgresql", "postgres", "POSTGRESQL", "postgresql+asyncpg", "postgres+psycopg"]
)
def test_every_scheme_of_power_loop_is_taken(scheme: str) -> None:
    address = parse(f"{scheme}://ada:s3cret@db.example:6432/work")
    assert address == Address("db.example", "6432", "work", "ada", "s3cret")
    assert address.shown == "postgresql://ada@db.example:6432/work"


@pytest.mark.parametrize("scheme", ["mysql", "mysql+aiomysql", "oracle", "http", "sqlite"])
def test_other_databases_are_not_supported(scheme: str) -> None:
    text = f"{scheme}://ada:s3cret@host/db"
    assert is_address(text)
    with pytest.raises(UsageError, match="cannot read") as refused:
        parse(text)
    assert refused.value.title == "Not supported"
    assert "s3cret" not in str(refused.value)


@pytest.mark.parametrize("text", ["state.db", "/tmp/x.db", "~/.hermes", "C:\\x", "a:b", "://x", ""])
def test_a_path_is_no_address(text: str) -> None:
    assert not is_address(text)


def test_what_is_not_given_is_left_to_libpq() -> None:
    assert parse("postgresql://").keywords() == {}
    assert parse("postgresql:///work").keywords() == {"dbname": "work"}
    assert parse("postgresql://host").keywords() == {"host": "host"}


def test_escapes_are_undone() -> None:
    address = parse("postgresql://a%40b:p%3A%2F%3F%23%C3%B6@host/my%20db")
    assert (address.user, address.password, address.database) == ("a@b", "p:/?#ö", "my db")
    assert address.shown == "postgresql://a%40b@host/my%20db"


def test_an_at_sign_in_a_password_is_not_taken_for_the_host() -> None:
    address = parse("postgresql://ada:pass@word@host/db")
    assert (address.host, address.password) == ("host", "pass@word")


def test_several_hosts_sockets_and_numbers_are_hosts() -> None:
    several = parse("postgresql://ada@one:1,two,[::1]:3/db")
    assert (several.host, several.port) == ("one,two,::1", "1,,3")
    assert several.shown == "postgresql://ada@one:1,two,[::1]:3/db"
    assert parse("postgresql://%2Fvar%2Frun/db").host == "/var/run"
    assert parse("postgresql:///db?host=/var/run&port=5433").shown == (
        "postgresql://%2Fvar%2Frun:5433/db"
    )
    assert parse("postgresql://bücher.example/db").host == "bücher.example"


def test_parameters_reach_libpq_and_unknown_ones_are_settings_of_the_server() -> None:
    address = parse(
        "postgresql://h/d?sslmode=verify-full&options=-csearch_path%3Dteam&work_mem=4MB"
        "&search_path=a%20b&application_name=x&client_encoding=latin1&replication=true&ssl=true"
    )
    assert address.keywords() == {
        "host": "h",
        "dbname": "d",
        "sslmode": "verify-full",
        "options": "-csearch_path=team -c work_mem=4MB -c search_path=a\\ b",
    }
    assert parse("postgresql://h/d?ssl=true").parameters == {"sslmode": "require"}


def test_a_password_among_the_parameters_is_one() -> None:
    address = parse("postgresql://h/d?user=ada&password=s3cret&sslpassword=key%20word")
    assert (address.user, address.password) == ("ada", "s3cret")
    assert "s3cret" not in repr(address) + address.shown
    assert "key word" not in repr(address) + address.shown + scrubbed("key word, key%20word")


@pytest.mark.parametrize(
    "text",
    [
        "postgresql://h:0/d",
        "postgresql://h:65536/d",
        "postgresql://h:99999999999999999999/d",
        "postgresql://h:²/d",
        "postgresql://h:port/d",
        "postgresql://h:1:2/d",
        "postgresql://[::1/d",
        "postgresql://h/d?port=x",
        "postgresql://h/d?novalue",
        "postgresql://h/d?bad%20name=1",
        "postgresql://h/%zz",
        "postgresql://h/%",
        "postgresql://h/%00",
        "postgresql://h/%ff",
        "postgresql://h\x1b[31m/d",
        "postgresql://h\n/d",
        "postgresql://h\u202e/d",
        "postgresql://h\udcff/d",
        "postgresql://" + "h" * 10_000,
        "postgresql://ada:hunter2/hunter2@host/d",
        "postgresql://ada:p@hunter2/x@host/d",
        "postgresql://ada:p@hunter2?x=y@host/d",
        "postgresql://ada:12?hunter2=y@host/d",
        "postgresql://ada:12/hunter2@host/d",
        "postgresql://hunter2!/d",
    ],
)
def test_a_wrong_address_is_refused_in_words(text: str) -> None:
    with pytest.raises(UsageError, match="Not a valid address") as refused:
        parse(text)
    assert str(refused.value).isprintable()
    assert "hunter2" not in str(refused.value)


def test_identity_is_the_place_and_neither_user_nor_password() -> None:
    one = parse("postgresql://ada:s3cret@Host/db").identity("public", "pl_", {})
    two = parse("postgres+asyncpg://bob@host:5432/db?sslmode=require").identity("public", "pl_", {})
    assert one == two == "postgresql://host:5432/db/public/pl_"
    assert parse("postgresql://host/db").identity("public", "", {}) != one
    assert parse("postgresql://host/db").identity("a/b", "pl_", {}) == (
        "postgresql://host:5432/db/a%2Fb/pl_"
    )


def test_identity_knows_the_variables_of_libpq() -> None:
    variables = {"PGHOST": "far", "PGPORT": "6000", "PGUSER": "ada"}
    assert parse("postgresql://").identity("s", "p", variables) == "postgresql://far:6000/ada/s/p"
    assert parse("postgresql://").identity("s", "p", {}, "me") == "postgresql://:5432/me/s/p"
    service = parse("postgresql://?service=work").identity("s", "p", {}, "me")
    assert service == "postgresql://service%3Dwork:5432/me/s/p"


@given(st.text(max_size=60), st.sampled_from(["postgresql://", "postgres+x://", ""]))
def test_no_text_breaks_the_parser(text: str, scheme: str) -> None:
    try:
        address = parse(scheme + text)
        said = address.shown + address.identity("s", "p", {})
    except UsageError as refused:
        said = refused.message
    assert said.isprintable()


HOSTILE = st.text("@/?#%:&=+[]'\"\\ ,;!a1Zü", min_size=1, max_size=24)


@given(HOSTILE)
@example("p@ss/word")
@example("12?x=y@1/2")
@example("p@12:34/5")
@example("a://b@c")
@example("@")
def test_a_password_that_is_not_encoded_is_read_whole_or_refused(password: str) -> None:
    try:
        address = parse(f"postgresql://ada:{password}@db.example:5432/work")
    except UsageError as refused:
        said = refused.message
        assert "%40" in said
        assert "PGPASSWORD" in said
        known = parse("postgresql://ada@db.example:5432/work").shown
        assert password not in said or len(password) < 4
        assert known not in said
    else:
        assert (address.host, address.port, address.database) == ("db.example", "5432", "work")
        assert (address.user, address.password) == ("ada", unquote(password))
        assert address.shown == "postgresql://ada@db.example:5432/work"
        assert not address.parameters


@given(HOSTILE.filter(lambda text: len(text) >= 4))
def test_no_mistake_quotes_a_password_that_was_typed(password: str) -> None:
    address = f"postgresql://ada:{password}@db.example/work"
    if password in "ada db.example work •••":
        return
    remember_typed(["list", address])
    for said in (address, repr(address), f"No session {address!r}.", f"--db={address}", password):
        assert password not in scrubbed(said)


@given(st.text(st.characters(exclude_categories=["C", "Z"]), min_size=4, max_size=20))
def test_a_password_is_in_nothing_that_is_shown(password: str) -> None:
    if password in f"{Address('host', '', 'db', 'ada')} postgresql://ada@host/db failed •••":
        return
    address = parse(f"postgresql://ada:{quote(password, safe='')}@host/db")
    assert address.password == password
    for text in (address.shown, repr(address), scrubbed(f"failed: {password}!")):
        assert password not in text
    assert quote(password, safe="") not in scrubbed(f"x://{quote(password, safe='')}@")
