"""POST /v1/refit and /v1/rank: another model for photos that were seen before, without the network."""

from __future__ import annotations

from functools import partial
from typing import Any

from fastapi import FastAPI
from starlette.requests import Request
from starlette.responses import JSONResponse

from anylens.serve.answering import answer_one, answer_shared
from anylens.serve.asking import FIELDS, Asked, from_json
from anylens.serve.desk import Desk
from anylens.serve.endpoints.schemas import OPTIONS, RESULTS, STRING, answers, json
from anylens.serve.keeping import Seen
from anylens.serve.names import clean_name
from anylens.serve.ranking import rank
from anylens.serve.refusal import Refused

NAMES = {"type": "array", "items": STRING, "description": "What /v1/calibrate with `keep` answered as `observation`."}
CHANGEABLE = {name: schema for name, schema in OPTIONS.items() if name not in ("mirror", "keep")}
MODELS = {"type": "object", "properties": {"ranking": {"type": "array", "items": {"type": "object"}}}}
GONE = {404: "An observation is no longer kept.", 409: "Another network is needed; send the photo again."}


def add(app: FastAPI, desk: Desk) -> None:
    @app.post("/v1/refit", openapi_extra=json({"observations": NAMES, **CHANGEABLE}, ["observations"]),
              responses=answers(RESULTS, more=GONE), tags=["photos"])  # fmt: skip
    async def refit(request: Request) -> JSONResponse:
        """Fit kept observations again with other options. 404 when one is no longer kept: send the photo again."""
        data = await desk.json(request)
        seen, asked = kept(desk, data, "observations"), checked(data)
        same_network(desk, seen, asked)
        views = [one.observation for one in seen]
        if asked.shared is None:
            rows = await desk.run(*(partial(answer_one, view, asked) for view in views))
        else:
            [rows] = await desk.run(partial(answer_shared, views, asked))
        names = data["observations"]
        return JSONResponse({"results": [{**row, "observation": name} for row, name in zip(rows, names)]})

    @app.post("/v1/rank", openapi_extra=json({"observations": NAMES, **CHANGEABLE}, ["observations"]),
              responses=answers(MODELS, more=GONE), tags=["photos"])  # fmt: skip
    async def rank_models(request: Request) -> JSONResponse:
        """The models that `auto` compares for one kept observation, the chosen one first."""
        data = await desk.json(request)
        [one, *more] = kept(desk, data, "observations")
        if more:
            raise Refused(422, "models are ranked for one photo at a time.")
        [ranking] = await desk.run(partial(rank, one.observation, checked(data).options))
        return JSONResponse({"ranking": ranking})


def checked(data: dict[str, Any]) -> Asked:
    unknown = next((name for name in data if name not in (*FIELDS, "observations")), None)
    if unknown is not None:
        raise Refused(422, f"there is no option '{clean_name(unknown)}'. Options: {', '.join(CHANGEABLE)}.")
    return from_json(data)


def kept(desk: Desk, data: dict[str, Any], name: str) -> list[Seen]:
    """Raises Refused: 422 for anything but names, 404 for one that is not kept."""
    names = data.get(name)
    if not isinstance(names, list) or not names or not all(isinstance(n, str) for n in names):
        raise Refused(422, f"'{name}' is a list of names that /v1/calibrate gave.")
    if len(names) > desk.settings.kept:
        raise Refused(413, f"more than {desk.settings.kept} observations in one request.")
    found = [desk.keeper.get(n) for n in names]
    seen = [one for one in found if one is not None]
    if len(seen) < len(found):
        raise Refused(404, "what was seen in this photo is no longer kept. Send the photo again.")
    return seen


def same_network(desk: Desk, seen: list[Seen], asked: Asked) -> None:
    """Raises Refused (409) where edited photos have a network of their own that has not seen the photo."""
    wanted = desk.networks.name(asked.options.edited)
    if any(one.network != wanted for one in seen):
        raise Refused(409, "cropped or stretched photos are looked at by another network. Send the photo again.")
