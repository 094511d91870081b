"""Secrets that a deployment makes are made once: what was put into them stays."""

import json
from collections.abc import Callable

import pytest

from tests.infrastructure.synthesis import STAGES, Assembly, resources

# CloudFormation makes a new value when any of this changes, whatever an operator has put in.
CURSOR_KEY = {"ExcludePunctuation": True, "PasswordLength": 64}
SOURCE_KEYS = {
    "GenerateStringKey": "unused",
    "SecretStringTemplate": json.dumps(
        {
            "newsapi_api_key": "",
            "twitter_bearer_token": "",
            "reddit_client_id": "",
            "reddit_client_secret": "",
            "tiingo_token": "",
            "finnhub_token": "",
        },
        separators=(",", ":"),
    ),
}


@pytest.mark.parametrize("name", STAGES)
def test_no_deployment_makes_the_value_of_a_secret_anew(
    name: str, stage: Callable[[str], Assembly]
) -> None:
    made = [
        (id, secret.get("GenerateSecretString"))
        for template in stage(name).templates.values()
        for id, secret in resources(template, "AWS::SecretsManager::Secret").items()
    ]
    assert len(made) == 2
    assert [how for id, how in made if id.startswith("Keys")] == [SOURCE_KEYS]
    assert all(how == CURSOR_KEY for id, how in made if not id.startswith("Keys"))
