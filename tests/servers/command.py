"""The server from a command line, so that a person can play a tournament against it."""

from __future__ import annotations

import asyncio
import time

import click

from tests.servers.faults import BROKEN, ODD, STOPPED, Fault, Faults
from tests.servers.openai_server import OpenAIServer, ServerSettings, serving


@click.command()
@click.option("--port", default=8000, show_default=True)
@click.option("--delay", default=0.0, show_default=True, help="Seconds that an answer takes.")
@click.option("--slots", type=int, help="Answers that it works on at a time; the others wait.")
@click.option("--model", "models", multiple=True, help="A name to serve; all are if none is given.")
@click.option("--key", help="The key that requests must carry.")
@click.option("--no-usage", is_flag=True, help="Answers do not say how many tokens they took.")
@click.option(
    "--fault",
    "rates",
    multiple=True,
    type=(click.Choice([*BROKEN, *ODD, *STOPPED]), float),
    metavar="KIND RATE",
    help=f"A share of requests that fail. Kinds: {', '.join([*BROKEN, *ODD, *STOPPED])}.",
)
def main(  # noqa: PLR0913, PLR0917 - one parameter per option
    port: int,
    delay: float,
    slots: int | None,
    models: tuple[str, ...],
    key: str | None,
    no_usage: bool,
    rates: tuple[tuple[Fault, float], ...],
) -> None:
    """An OpenAI-compatible server on loopback, for trying a tournament without a model."""
    settings = ServerSettings(
        models=models,
        key=key,
        delay_seconds=delay,
        slots=slots,
        usage="absent" if no_usage else "present",
        faults=Faults(rates=dict(rates), seed=int(time.time())),
    )
    try:
        asyncio.run(_serve(settings, port))
    except KeyboardInterrupt:
        click.echo("Stopped.")


async def _serve(settings: ServerSettings, port: int) -> None:
    async with serving(settings, port=port) as server:
        click.echo(f"Listening on {server.url} (Ctrl-C stops it).")
        await _report(server)


async def _report(server: OpenAIServer) -> None:
    told = 0
    while True:
        await asyncio.sleep(5)
        if (count := len(server.ledger.requests)) != told:
            told = count
            click.echo(f"{count} requests answered, {server.ledger.in_flight} under way.")


if __name__ == "__main__":
    main()
