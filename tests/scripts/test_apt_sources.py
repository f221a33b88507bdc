"""Apt sources made from those that the system has: Debian's backports, and source packages."""

import pytest
from machine import Machine

DEB822 = """# Debian
Types: deb deb-src
# a comment
URIs: http://mirror.example/debian
Suites: bookworm bookworm-updates
Components: main contrib
Signed-By:
 -----BEGIN PGP PUBLIC KEY BLOCK-----
 .
 abc

Types: deb
URIs: http://mirror.example/debian-security
Suites: bookworm-security
Components: main
Signed-By: /usr/share/keyrings/security.gpg
"""
DEB822_BACKPORTS = """sources
Types: deb
Suites: bookworm-backports
Components: main
URIs: http://mirror.example/debian
Signed-By:
 -----BEGIN PGP PUBLIC KEY BLOCK-----
 .
 abc
"""
ONE_LINE = """# deb http://old.example/debian bookworm main
deb-src http://mirror.example/debian bookworm main
deb http://mirror.example/debian-security bookworm-security main
deb [arch=amd64 signed-by=/usr/share/keyrings/debian.gpg] http://mirror.example/debian bookworm contrib main
"""
ONE_LINE_BACKPORTS = """list
deb [arch=amd64 signed-by=/usr/share/keyrings/debian.gpg] http://mirror.example/debian bookworm-backports main
"""


@pytest.mark.parametrize(
    "name, text, expected",
    [
        ("sources.list.d/debian.sources", DEB822, DEB822_BACKPORTS),
        ("sources.list.d/debian.sources", "Enabled: no\n" + DEB822[9:], ""),
        ("sources.list.d/debian.list", ONE_LINE, ONE_LINE_BACKPORTS),
        ("sources.list", ONE_LINE, ONE_LINE_BACKPORTS),
        ("sources.list", "deb\thttp://mirror.example/debian  bookworm\tmain\n",
         "list\ndeb http://mirror.example/debian bookworm-backports main\n"),
        ("sources.list", "deb http://mirror.example/other stable main\n", ""),
    ],
)
def test_backports_source(bare: Machine, name: str, text: str, expected: str):
    (bare.apt / "sources.list").unlink()
    (bare.apt / name).write_text(text)
    result = bare.function('backports_source "$PORTCOST_APT_FOLDER" || true')
    assert result.stdout == expected, result.stderr


def test_ubuntu_has_no_debian_backports(bare: Machine):
    bare.system("ubuntu")
    assert bare.function('backports_source "$PORTCOST_APT_FOLDER" || echo none').stdout == "none\n"
