"""While all sessions are read, Python does not look for garbage; then it does as before."""

import gc
import threading

from explorer.browse.collector import no_collection

LONG = 60.0


def test_it_looks_again_when_the_last_of_several_has_read() -> None:
    assert gc.isenabled()
    inside, leave = threading.Event(), threading.Event()

    def read() -> None:
        with no_collection():
            inside.set()
            leave.wait(LONG)

    reader = threading.Thread(target=read)
    with no_collection():
        reader.start()
        assert inside.wait(LONG)
        assert not gc.isenabled()
    assert not gc.isenabled()
    leave.set()
    reader.join(LONG)
    assert gc.isenabled()


def test_where_it_does_not_look_anyway_it_does_not_begin_to() -> None:
    gc.disable()
    try:
        with no_collection():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()
