"""Keys as environment variables hold them: without what files and editors put around them."""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Iterable, Iterator
from typing import Final

from arena.errors import ConfigError

#: The ends of the names of variables that hold secrets.
SECRET_NAMES: Final = ("_KEY", "_TOKEN", "_SECRET", "_PASSWORD")
#: What no key has at its ends: blanks, line breaks, a byte order mark, quotation marks.
_AROUND: Final = " \t\r\n\v\f\u00a0\ufeff\u200b\u2060\"'"


def clean_key(key: str) -> str:
    r"""Return a key without blanks, line breaks, quotation marks and invisible marks at its ends.

    >>> clean_key("\ufeffsk-1\r\n")
    'sk-1'
    """
    return key.strip(_AROUND)


def clean_environment() -> Iterator[str]:
    """Clean the keys among the environment's variables; yield a line for each that was not clean.

    Providers' own variables are read in many places, LiteLLM's among them.
    """
    for name, value in os.environ.items():
        if name.endswith(SECRET_NAMES) and value and (clean := clean_key(value)) != value:
            os.environ[name] = clean
            yield (
                f"Note: {name} has blanks, line breaks or quotation marks around its value; the "
                "value is used without them."
            )


#: Variables by which LiteLLM would send calls, and keys with them, elsewhere than the file says.
REDIRECTS: Final[dict[str, str]] = {}
_REDIRECT: Final = re.compile(
    r"(?:AWS_)?(?P<provider>[A-Z0-9_]+?)_(?:API_BASE|BASE_URL|API_BASE_URL|RUNTIME_ENDPOINT)"
)
#: Variables of AWS's own library, by which a role signs in; LiteLLM sends calls by none of them.
_SIGN_IN: Final = re.compile(r"AWS_(?:STS_ENDPOINT|ENDPOINT_URL(?:_[A-Z_]+)?)")
_OF_AWS: Final = ("BEDROCK", "SAGEMAKER")
#: Providers that have no address but the one in such a variable.
_WITHOUT_ADDRESS: Final = frozenset(
    """AZURE AZURE_AI CLOUDFLARE DATABRICKS HOSTED_VLLM INFINITY LITELLM_PROXY LLAMAFILE LM_STUDIO
    OLLAMA OPENAI_LIKE OVHCLOUD PREDIBASE SNOWFLAKE TRITON VLLM WATSONX XINFERENCE""".split()
)


def hide_redirects() -> None:
    """Move the variables that would redirect calls unseen out of LiteLLM's reach.

    An address is in the file, or it is the provider's own: it is printed, and stored with what was
    learned there. `env:NAME` in a file still finds them.
    """
    for name in list(os.environ):
        found = _REDIRECT.fullmatch(name)
        if found and found["provider"] not in _WITHOUT_ADDRESS and not name.startswith("ARENA_"):
            REDIRECTS[name] = os.environ.pop(name)


def redirect_lines(models: Iterable[str]) -> Iterator[str]:
    """Yield a line for each variable that says, or would say, where one of the models is called.

    Only providers without an address of their own are called where a variable says.
    """
    providers = {model.partition("/")[0].upper(): model.partition("/")[0] for model in models}
    for name in sorted({*REDIRECTS, *os.environ}):
        found = _REDIRECT.fullmatch(name)
        provider = providers.get(found["provider"]) if found else None
        if found and provider and found["provider"] in _WITHOUT_ADDRESS:
            host = os.environ[name].rpartition("@")[2]  # without a password
            yield f"{name}: {provider} is called at {host} where the file names no address"
        elif found and provider:
            yield (
                f"{name} is set, and not heeded: an address stands in the file. To use it: "
                f'[models."{provider}/*"] api_base = "env:{name}"'
            )
        elif _SIGN_IN.fullmatch(name) and any(map(providers.get, _OF_AWS)):
            host = os.environ[name].rpartition("@")[2]
            yield f"{name}: AWS's library may sign in at {host}; calls do not go there"


def check_key(key: str, owner: str) -> None:
    """Check that a key can be sent; the key itself is never shown.

    Args:
        owner: whose key it is, for the message: "the key for 'openai/gpt-4o'".

    Raises:
        ConfigError: it holds a character that no key has.
    """
    for place, character in enumerate(clean_key(key), 1):
        if not " " <= character <= "~":
            name = unicodedata.name(character, "a control character")
            raise ConfigError(
                f"{owner} cannot be sent: its character {place} is U+{ord(character):04X} "
                f"({name.lower()}), and keys have letters, digits and ASCII signs alone. Copy it "
                "again from the provider's page; an editor may have changed it."
            )
