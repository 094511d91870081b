"""Forms that somebody has filled in, the same for everybody who looks."""

import random

from local.clients.forms import Forms
from local.emulator.home import LocalCloudError

SUBMISSIONS = 6
NAMES = ("Ada", "Grace", "Alan", "Katherine", "Edsger", "Barbara")
WISHES = (
    "Please call me back.",
    "What does it cost for a team of twelve?",
    "The parcel came damaged.",
    "Can I change my address?",
)


def filled_in(chance: random.Random) -> dict[str, str]:
    name = chance.choice(NAMES)
    email = f"{name.lower()}@visitors.example"
    return {"name": name, "email": email, "message": chance.choice(WISHES), "website": ""}


def load(forms: Forms) -> int:
    """Make a tenant and fill in its form a few times; gives how often."""
    if not forms.prepare():
        return 0
    chance = random.Random(forms.tenant)
    for _ in range(SUBMISSIONS):
        answer = forms.submit(filled_in(chance))
        if answer.status != 202:
            raise LocalCloudError(f"The forms API answered {answer.status}: {answer.text}")
    return SUBMISSIONS
