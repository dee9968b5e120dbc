"""Reads a data set's file into typed raw records."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING, TypeVar

from pydantic import TypeAdapter, ValidationError

from shared.contract.errors import InvalidInput

if TYPE_CHECKING:
    from pathlib import Path

_SHOWN_ERRORS = 3
_GZIP_MAGIC = b"\x1f\x8b"

Record = TypeVar("Record")


def read_json(path: Path, shape: TypeAdapter[Record]) -> Record:
    """The file's content in the given shape. A gzipped file is unpacked, whatever its name.

    Raises:
        InvalidInput: the file is not there, is damaged, or its content has another shape.
    """
    try:
        data = path.read_bytes()
        return shape.validate_json(gzip.decompress(data) if data[:2] == _GZIP_MAGIC else data)
    except ValidationError as error:
        msg = f"{path} is not the data set it was given as: {_first_errors(error)}"
        raise InvalidInput(msg, path=str(path)) from error
    except (OSError, EOFError) as error:
        msg = f"cannot read {path}: {error}; give the path of the data set's JSON file"
        raise InvalidInput(msg, path=str(path)) from error


def _first_errors(error: ValidationError) -> str:
    shown = error.errors(include_url=False, include_input=False)[:_SHOWN_ERRORS]
    places = [f"{'.'.join(map(str, item['loc'])) or 'top level'}: {item['msg']}" for item in shown]
    return f"{'; '.join(places)} ({error.error_count()} in all)"
