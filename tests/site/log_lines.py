# SPDX-License-Identifier: BSD-3-Clause
"""Records as lines of a log, as rsyslog writes them (doc/SITE.md)."""

import json

CRC_TABLE = []
for byte in range(256):
    for _ in range(8):
        byte = (byte >> 1) ^ (0x82F63B78 if byte & 1 else 0)
    CRC_TABLE.append(byte)


def crc32c(text):
    crc = 0xFFFFFFFF
    for byte in text.encode():
        crc = CRC_TABLE[(crc ^ byte) & 255] ^ (crc >> 8)
    return crc ^ 0xFFFFFFFF


def line(uid, text, when="2026-11-18T17:13:24.063065+00:00"):
    return "%s node17 uid=%d pid=32698 %s\n" % (when, uid, text)


def chunks(document, piece=800):
    """The texts of the chunks of a document."""
    text = document if isinstance(document, str) else json.dumps(document, separators=(",", ":"))
    key = json.loads(text)["job"]["key"]
    pieces = [text[start:start + piece] for start in range(0, len(text), piece)]
    crc = crc32c(text)
    return ["1 %s %d/%d %08x %s|" % (key, number, len(pieces), crc, part) for number, part in enumerate(pieces, 1)]


def lines(uid, document):
    return [line(uid, chunk) for chunk in chunks(document)]
