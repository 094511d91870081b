"""How long what was read of epochs is relied on."""

import pytest

from tablewright.model import Entity, Epoch, Epochs, EpochShards, Field, Get, Key, Table, TimeId
from tablewright.runtime.sharding.epochs import EpochCache, EpochTiming
from tablewright.runtime.store.records import Records

FOUR = Epochs([Epoch("2025-01-01T00:00:00.000Z", 4)])


class Shelf:
    """A cache on a clock that is set by hand, over epochs that are counted when they are read."""

    def __init__(self) -> None:
        self.seconds = 1000.0
        self.reads = 0
        self.cache = EpochCache(EpochTiming(life=60, skew=5), clock=lambda: self.seconds)

    def known(self, upto: float, tenant: str = "a", table: str = "t") -> Epochs:
        return self.cache.get(table, tenant, int(upto * 1000), self.read)

    def read(self) -> Epochs:
        self.reads += 1
        return FOUR


def test_what_was_read_is_certain_for_ids_of_a_life_and_no_longer() -> None:
    shelf = Shelf()
    assert shelf.known(1000) == FOUR
    shelf.seconds = 5000.0
    # However late it is: the id's own time decides, not the clock.
    assert shelf.known(1059.9) == FOUR
    assert shelf.reads == 1
    shelf.known(1060)
    assert shelf.reads == 2


def test_tenants_and_tables_are_kept_apart() -> None:
    shelf = Shelf()
    for table, tenant in (("t", "a"), ("t", "ab"), ("u", "a"), ("t", "a")):
        shelf.known(1000, tenant, table)
    assert shelf.reads == 3


def test_a_read_counts_from_its_beginning() -> None:
    shelf = Shelf()

    def slow() -> Epochs:
        shelf.seconds += 30
        return shelf.read()

    shelf.cache.get("t", "a", 1_000_000, slow)
    shelf.known(1060)
    assert shelf.reads == 2


def test_ids_may_be_as_new_as_clocks_may_differ() -> None:
    assert Shelf().cache.latest() == 1_005_000


def test_an_epoch_is_written_before_anybody_can_need_it() -> None:
    timing = EpochTiming(life=60, skew=5, patience=300)
    assert timing.lead == 365
    with pytest.raises(ValueError, match="longer than clocks may differ"):
        EpochCache(EpochTiming(life=5, skew=5))


def test_without_epochs_no_shard_is_guessed() -> None:
    shards = EpochShards(by="id", whose="tenant")

    class Note(Entity, key=Key("T#{tenant}#{shard}", "{id}", shards=shards)):
        tenant: Field[str] = TimeId()
        id: Field[str] = TimeId()

    class Notes(Table, pk="PK", sk="SK"):
        get = Get(Note)

    id = "01949fc8-7ae8-7abc-8def-0123456789ab"
    with pytest.raises(TypeError, match="sharded by epochs, so it can be made by a Store only"):
        Records(Notes.__design__, Note.__entity__).key({"tenant": id, "id": id})
