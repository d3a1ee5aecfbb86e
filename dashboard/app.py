"""The script that Streamlit runs: which pages there are, and the ways between them."""

from __future__ import annotations

import streamlit as st

from dashboard.elements import guarded, style
from dashboard.pages import debates, leaderboard, speak, transcript, vote, win_rates
from dashboard.settings import SPEAK, VOTE, only


@guarded
def _leaderboard() -> None:
    leaderboard.page()


@guarded
def _win_rates() -> None:
    win_rates.page()


@guarded
def _debates() -> None:
    debates.page(read=lambda debate: st.switch_page(_TRANSCRIPT, query_params={"debate": debate}))


@guarded
def _transcript() -> None:
    transcript.page(back=_DEBATES)


@guarded
def _vote() -> None:
    vote.page()


@guarded
def _speak() -> None:
    speak.page()


_SPEAK = st.Page(_speak, title="Speak", url_path="speak", default=True)
_VOTE = st.Page(_vote, title="Vote", url_path="vote", default=True)
_LEADERBOARD = st.Page(
    _leaderboard,
    title="Leaderboard",
    url_path="leaderboard",
    default=True,
)
_WIN_RATES = st.Page(_win_rates, title="Win rates", url_path="win-rates")
_DEBATES = st.Page(_debates, title="Debates", url_path="debates")
_TRANSCRIPT = st.Page(
    _transcript,
    title="Transcript",
    url_path="transcript",
    visibility="hidden",
)

st.set_page_config(layout="wide", page_icon="⚖️")
style()
_READ = [_LEADERBOARD, _WIN_RATES, _DEBATES, _TRANSCRIPT]
st.navigation({VOTE: [_VOTE], SPEAK: [_SPEAK]}.get(only(), _READ), position="top").run()
