"""Payloads like those that forms send, of any size, the same ones in every run."""

import json
from random import Random
from typing import Any

SIZES = (200, 500, 1_000, 2_000, 4_000, 16_000, 64_000, 400_000, 4_000_000)

_FIRST = ("Ada", "Grace", "Émile", "Zoë", "Jürgen", "María", "Łukasz", "Chiara", "Noor", "李")
_LAST = ("Lovelace", "Hopper", "Zola", "Müller", "García", "Nowak", "Rossi", "Haddad", "O'Neill")
_LETTER = (
    "hello please could you tell me whether the order that I placed last week has been sent and "
    "when it will arrive because the address on the invoice is not ours and nobody answers the "
    "telephone thank you for your help we would like to book a table for two on saturday evening "
    "near window price offer delivery question website broken account password member size colour "
    "return refund shoes kitchen garden meeting appointment available Tuesday morning possible"
)
_WORDS = _LETTER.split()
_TOPICS = ("sales", "support", "press", "jobs", "other")
_PLACES = ("Berlin", "Paris", "New York", "São Paulo", "Kraków", "Milano", "東京")


def payload(size: int, seed: int) -> bytes:
    """A contact form or, when longer, a survey, of about so many bytes."""
    chance = Random(seed * 1_000_003 + size)  # noqa: S311 - a benchmark, which is repeatable
    first, last = chance.choice(_FIRST), chance.choice(_LAST)
    fields: dict[str, Any] = {
        "form_id": chance.choice(("contact", "newsletter", "survey")),
        "first_name": first,
        "last_name": last,
        "email": f"{last.lower()}{chance.randrange(1000)}@example.com",
        "phone": f"+{chance.randrange(10**11):011}",
        "topic": chance.choice(_TOPICS),
        "consent": chance.random() < 0.9,
        "page_url": f"https://www.example.com/{chance.choice(_TOPICS)}/?utm_source=newsletter",
        "submitted_at": f"2025-01-{chance.randrange(1, 29):02}T10:{chance.randrange(60):02}:00Z",
    }
    if size > 400:
        fields["message"] = _text(chance, min(size, 1_500) // 2)
        fields["city"] = chance.choice(_PLACES)
    number = 0
    while _size(fields) < size and size > 1_000:
        # Many at a time, so that large ones are made in reasonable time.
        for _ in range(max(1, (size - _size(fields)) // 150)):
            number += 1
            fields[f"question_{number}"] = {
                "label": _text(chance, 30),
                "answer": _text(chance, chance.randrange(5, 80)),
                "rating": chance.randrange(1, 6),
            }
    return json.dumps(fields, ensure_ascii=False, separators=(",", ":")).encode()


def _text(chance: Random, length: int) -> str:
    return " ".join(chance.choices(_WORDS, k=max(1, length // 6)))


def _size(fields: dict[str, Any]) -> int:
    return len(json.dumps(fields, ensure_ascii=False, separators=(",", ":")).encode())


def unusual(size: int, seed: int) -> bytes:
    """The same of a form whose fields have names that nobody else uses."""
    chance = Random(seed * 7_919 + size)  # noqa: S311 - a benchmark, which is repeatable
    letters = "abcdefghijklmnopqrstuvwxyzäöüéè"
    names = ["".join(chance.choices(letters, k=chance.randrange(4, 14))) for _ in range(40)]
    fields: dict[str, Any] = {}
    number = 0
    while _size(fields) < size:
        for _ in range(max(1, (size - _size(fields)) // 120)):
            number += 1
            words = (chance.choice(names) for _ in range(chance.randrange(1, 8)))
            fields[f"{chance.choice(names)}_{number}"] = " ".join(words)
    return json.dumps(fields, ensure_ascii=False, separators=(",", ":")).encode()
