"""Scopes filled with made-up memories, one of each size, on which speed and rebuilding are measured."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Final

from bench.embedders import Clustered
from bench.product import inline_services
from bench.synthetic import Writer
from shared.contract.scope import Scope
from warmpath._door import Door

if TYPE_CHECKING:
    from rich.progress import Progress

    from bench.place import Place

SEED: Final = 20_240_229
CENTRES: Final = 256
"""Sentences around whose embeddings made-up vectors lie."""
_SETTLED_AFTER: Final = (10, 200)  # sessions; each tenant may be the first on its partition


def new_scope(name: str) -> Scope:
    """A scope of its own, in which nothing is yet."""
    return Scope(tenant_id=f"bench-{name}-{secrets.token_hex(4)}", user_id="mira")


def fill_beside(place: Place, scope: Scope, memories: int) -> None:
    """Fill a scope with a few memories, beside whatever its tenant has; the same ones wherever it is."""
    door = Door(inline_services(place, place.embedder))
    for number, messages in enumerate(Writer(SEED + memories).sessions(memories)):
        door.observe(scope, messages, run_id=f"beside-{scope.user_id}-{number}")


def fill(place: Place, sizes: Iterable[int], progress: Progress) -> Mapping[int, Scope]:
    """Fill one tenant for each size, beside each other, on the product's own way; by size, in the order given.

    Their vectors lie around the embeddings of some sentences.
    """
    scopes = {size: new_scope(f"speed-{size}") for size in sizes}
    real = place.embedder
    centres = real.encode_documents(Writer(SEED).sentences(CENTRES))
    door = Door(inline_services(place, Clustered(real, centres, seed=SEED)))
    done = progress.add_task("memories written", total=sum(scopes))
    for size, scope in scopes.items():
        for number, messages in enumerate(Writer(SEED + size).sessions(size)):
            door.observe(scope, messages, run_id=f"session-{number}")
            progress.advance(done, len(messages))
            if number in _SETTLED_AFTER:
                place.settle()
    indexed = progress.add_task("vector index", total=1)
    place.index_vectors()
    place.settle()
    progress.advance(indexed)
    return scopes
