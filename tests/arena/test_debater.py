"""What a debater framework gets from its base class when it says nothing itself."""

from __future__ import annotations

from arena.debater import Debater, NoOptions


def test_a_framework_without_a_forecast_is_guessed_at_roughly() -> None:
    short, long = (Debater.forecast(NoOptions(), words) for words in (300, 600))
    for guess in (short, long):
        for low, likely, high in (guess.calls, guess.input_tokens, guess.output_tokens):
            assert 0 < low < likely < high
        pairs = zip(guess.input_tokens, guess.output_tokens, strict=True)
        assert all(read > written for read, written in pairs), "a call reads the debate before it"
    assert long.calls == short.calls
    assert long.input_tokens[1] > short.input_tokens[1], "longer speeches are more to read"
    assert long.output_tokens[1] == 2 * short.output_tokens[1]
