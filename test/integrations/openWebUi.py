"""Runs the filter as Open WebUI does: argv is its folder and, as JSON, valves, body, user and metadata."""

import asyncio
import json
import sys
import types

try:
    import pydantic
except ImportError:
    # Replaces pydantic, which Open WebUI includes; the filter uses only fields with defaults.
    class BaseModel:
        def __init__(self, **given):
            for name in self.__annotations__:
                setattr(self, name, given.get(name, getattr(type(self), name)))

    pydantic = types.ModuleType("pydantic")
    pydantic.BaseModel = BaseModel
    pydantic.Field = lambda default, description: default
    sys.modules["pydantic"] = pydantic

sys.path.insert(0, sys.argv[1])
sys.dont_write_bytecode = True
from omoide_filter import Filter  # noqa: E402

given = json.loads(sys.argv[2])
filter = Filter()
filter.valves = Filter.Valves(**given["valves"])
body = asyncio.run(filter.inlet(given["body"], given["user"], given["metadata"]))
print(json.dumps(body))
