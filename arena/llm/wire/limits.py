"""How long a call may take."""

from __future__ import annotations

from dataclasses import dataclass, replace

#: The longest time for a connection to be made, TLS included, in seconds.
CONNECT_SECONDS = 20.0


@dataclass(frozen=True, slots=True, kw_only=True)
class CallLimits:
    """The limits of time of one call, in seconds.

    Attributes:
        first_byte_seconds: until the first byte of the answer; a queue of the server included.
        timeout_seconds: silence within a streamed answer. An answer that is not streamed is
            computed in silence, and this limit does not apply to it.
        call_seconds: the whole call.
    """

    first_byte_seconds: float = 1800.0
    timeout_seconds: float = 120.0
    call_seconds: float = 7200.0

    def but(
        self,
        *,
        first_byte_seconds: float | None = None,
        timeout_seconds: float | None = None,
        call_seconds: float | None = None,
    ) -> CallLimits:
        """Return the limits with those replaced that are not `None`.

        >>> CallLimits().but(timeout_seconds=5.0).timeout_seconds
        5.0
        """
        return replace(
            self,
            first_byte_seconds=first_byte_seconds or self.first_byte_seconds,
            timeout_seconds=timeout_seconds or self.timeout_seconds,
            call_seconds=call_seconds or self.call_seconds,
        )
