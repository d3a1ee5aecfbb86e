"""Roles of a debater's agents, each of which may have a model and sampling of its own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    SerializerFunctionWrapHandler,
    field_validator,
    model_serializer,
)

from arena.debater import Debater
from arena.presets import PresetOptions
from arena.records import ReasoningEffort

if TYPE_CHECKING:  # models are called only in a debate
    from arena.llm.model import LanguageModel

_BY_ROLE = ("models", "sampling")

ModelName = Annotated[str, Field(min_length=1)]


class RoleSampling(BaseModel):
    """Sampling parameters of a role; the participant's hold for those that are left out."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    temperature: float | None = Field(default=None, ge=0, le=2)
    top_p: float | None = Field(default=None, gt=0, le=1)
    max_tokens: int | None = Field(default=None, ge=16)
    reasoning_effort: ReasoningEffort | None = None

    @model_serializer(mode="wrap")
    def _leave_out_unset(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        return {name: value for name, value in handler(self).items() if value is not None}


class RoleOptions(BaseModel):
    """Options of a debater with roles.

    Attributes:
        models: model by role, `provider/name`; other roles use the participant's.
        thinking: whether models reason by themselves, before they answer; short reasoning is then
            no part of the answers of a debate's agents.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)
    #: The debater's roles.
    roles: ClassVar[tuple[str, ...]] = ()
    #: Options that are stored only where they are set: participants without them keep their
    #: identity.
    later: ClassVar[tuple[str, ...]] = (*_BY_ROLE, "thinking")
    models: Mapping[str, ModelName | None] = {}
    sampling: Mapping[str, RoleSampling] = {}
    thinking: bool = False

    @field_validator(*_BY_ROLE, mode="after")
    @classmethod
    def _check_roles(cls, values: Mapping[str, Any]) -> Mapping[str, Any]:
        unknown = ", ".join(repr(role) for role in values if role not in cls.roles)
        if unknown:
            raise ValueError(f"unknown role {unknown}; its roles are {', '.join(cls.roles)}")
        return values

    @model_serializer(mode="wrap")
    def _leave_out_empty(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        overridden = self.overridden if isinstance(self, PresetOptions) else ()
        return {
            name: value
            for name, value in handler(self).items()
            if value or name not in self.later or name in overridden
        }

    def apply(self, role: str, model: LanguageModel) -> LanguageModel:
        """Return the model of a role."""
        sampling = self.sampling.get(role, RoleSampling()).model_dump()
        return replace(
            model,
            model=self.models.get(role) or model.model,
            sampling=replace(model.sampling, **sampling),
        )


class RoleDebater(Debater):
    """Base of debaters whose `Options` are `RoleOptions`."""

    Options = RoleOptions

    @classmethod
    def models(cls, options: Any) -> tuple[str, ...]:  # noqa: ANN401 - RoleOptions
        """Return the models of the roles that have their own."""
        return tuple(model for model in options.models.values() if model)
