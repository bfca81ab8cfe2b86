"""The attributes that a local name must not be given the name of."""

from __future__ import annotations

from migrate.engine.document import read
from migrate.rewriters.sessions.attributes import attributes_taken

OTHER = """\
class Other(object):
    def build(self):
        self.cell = 1
        self.net.size = 2
"""


def taken(mine: str, other: str = OTHER) -> set[str]:
    documents = [read("mine.py", mine.encode()), read("other.py", other.encode())]
    return attributes_taken(documents, documents[0])


def test_another_class_has_its_own() -> None:
    found = taken("class Mine(object):\n    def build(self):\n        self.x = 1\n")
    assert found == {"x", "size"}


def test_classes_with_kin_share_theirs() -> None:
    assert "cell" in taken("class Mine(Other):\n    pass\n")
    assert "cell" in taken("class Mine:\n    pass\n", OTHER.replace("(object)", "(Mine)"))
    assert "cell" in taken("class Mine:\n    pass\n", OTHER + "\n\nclass Both(Mine, Other): pass\n")


def test_what_is_read_of_an_object_is_taken() -> None:
    assert "cell" in taken("class Mine:\n    pass\n\n\nprint(Mine().cell)\n")
    assert "cell" in taken("class Mine:\n    pass\n", OTHER + "\n\ndef f(net):\n    net.cell = 3\n")
