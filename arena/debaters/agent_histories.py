"""Agents that each remember their own conversation, as chat models are made for.

Liang et al. 2023, arXiv 2305.19118, Figure 5: an agent's request begins with its system message;
what the others have said is the user's, and what it has said itself the assistant's.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from arena.debaters.agent_dialogue import AgentDialogue
from arena.prompts import Message, Rendered


@dataclass(slots=True)
class _History:
    """One agent's conversation.

    Attributes:
        messages: its requests and replies in turn, without the system message.
        heard: the number of blocks of the dialogue that its requests have shown.
    """

    messages: list[Message] = field(default_factory=list)
    heard: int = 0


class AgentHistories(AgentDialogue):
    """A dialogue whose agents are shown what is new to them, after their own conversation so far.

    An agent is its name, or its `number` among the variables of its prompts. A request that
    fails is forgotten: the next one shows again what was new in it.

    Prompts are rendered with the flag `later` where the agent has replied before.
    """

    def __init__(self, *arguments: Any, **others: Any) -> None:  # noqa: ANN401 - as the base's
        super().__init__(*arguments, **others)
        self._histories: dict[str, _History] = {}
        self._speakers: list[str] = []  # whose each block of the dialogue is
        self._speaker, self._request = "", Message(role="user", text="")

    def add_quotation(self, label: str, text: str, *words: str) -> None:
        """Add a quotation of whoever replied last."""
        super().add_quotation(label, text, *words)
        self._speakers.append(self._speaker)

    def keep_reply(self, reply: str) -> None:
        """Keep the last request and the reply to it in the agent's history."""
        history = self._histories[self._speaker]
        history.messages += [self._request, Message(role="assistant", text=reply)]
        history.heard = len(self._blocks)

    async def begin_anew(self, name: str, *, agent: str, length: int) -> str:
        """Have an agent forget its history and write a text, with which a new one begins."""
        self._histories.pop(agent, None)
        text = await self.write(name, agent=agent, length=length)
        self.keep_reply(text)
        return text

    def _render(self, name: str, agent: str, flag: str, **variables: str) -> Rendered:
        self._speaker = variables.get("number", agent)
        history = self._histories.setdefault(self._speaker, _History())
        blocks = zip(self._speakers, self._blocks, strict=True)
        unheard = [
            block for speaker, block in list(blocks)[history.heard :] if speaker != self._speaker
        ]
        flag = f"{flag} later" if history.messages else flag
        rendered = self._fill(name, flag, unheard, variables)
        *before, self._request = rendered.messages
        return replace(rendered, messages=(*before, *history.messages, self._request))
