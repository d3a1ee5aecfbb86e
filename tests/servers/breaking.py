"""Answers that break off while they are sent."""

from __future__ import annotations

import asyncio

from aiohttp import web

from tests.servers.faults import BROKEN, STOPPED, Fault


async def stop_short(request: web.Request, fault: Fault) -> None:
    """Send half of an answer, or wait without one until the caller is gone."""
    if fault == "truncated":
        response = web.StreamResponse(headers={"Content-Type": "application/json"})
        response.content_length = 1000
        await response.prepare(request)
        await response.write(b'{"id": "chatcmpl-1", "choices": [{"index": 0, "mess')
    while fault == "hang" and request.transport and not request.transport.is_closing():
        await asyncio.sleep(0.02)


def break_off(request: web.Request, fault: Fault) -> web.Response:
    """Reset the connection, or answer with half of an object."""
    assert fault in (*BROKEN, *STOPPED)
    if fault != "malformed" and isinstance(request.transport, asyncio.Transport):
        request.transport.abort()
    return web.Response(text='{"id": "chatcmpl-1", "choi', content_type="application/json")
