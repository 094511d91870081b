"""Report every way in which a tenant's session could reach what is another tenant's.

    tablewright audit-isolation --design tablewright.catalog.forms.design:Forms
    tablewright audit-isolation … --policies template.json --role TenantAccess
    tablewright audit-isolation … --table NAME --region REGION --role-arn ARN \\
        --bucket NAME --secrets dev/forms/

Takes every entity of a design in the table and in each index, for tenants whose ids are easily
taken for one another, and decides by the role's policies what each tenant's session may do with the
items of each other; and so with objects and secrets, whose names begin with the tenant and a slash.
Without --policies, those that a grant of all patterns would give. With --table it also tries it: it
assumes the role for each tenant and makes the calls, with --bucket and --secrets on those too. It
reads one item at most, shows none, and writes nothing, so it may be run beside real tenants.

Permissions that cannot be tried are listed: another table, an action or service that the audit does
not know, a name without the tenant; with --bucket, a prefix that has no object of a tenant.
--exclude leaves out resources that you audit by other means.

IAM sees a call's partition key and not the rest of an item: a session can give an item of its own
the index key of another tenant. Only code that computes keys from fields prevents that.

Exit code 0: nothing found; 1: leaks, or a session that does not reach its own; 2: cannot tell, or
permissions that were not tried.
"""

import argparse
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

import boto3
from botocore.exceptions import BotoCoreError

from tablewright.commands.named import table_design
from tablewright.designs.description.node import one_line
from tablewright.isolation.coverage import untried
from tablewright.isolation.decisions import Call, Statement, allows
from tablewright.isolation.names import NamedSession, find_objects, named_leaks, tenant_prefixes
from tablewright.isolation.policies import from_design, from_file, without_resources
from tablewright.isolation.reach import (
    Leak,
    Place,
    leaks,
    places,
    possible,
    tenant_ids,
)
from tablewright.isolation.session import TenantSession, assume
from tablewright.model.table import Design
from tablewright.runtime.aws import connect
from tablewright.runtime.errors import StoreError

_CLEAN = "no tenant reaches another"


def main(arguments: list[str] | None = None) -> int:
    parser = _parser()
    options = parser.parse_args(arguments)
    if bool(options.table) != bool(options.role_arn):
        parser.error("to try it for real, give both --table and --role-arn")
    if options.bucket and not options.policies:
        parser.error("--bucket needs --policies, which name the prefixes of its objects")
    try:
        design: Design = options.design.__design__
        _, impossible = possible(design, options.tenants)
        for tenant, reason in impossible.items():
            parser.error(f"the tenant id '{tenant}' does not fit the design: {reason}")
        ids = tenant_ids(design, options.tenants)
        tenants = options.tenants or ids
        if len(tenants) < 2:
            parser.error("name two tenants at least, of which one could reach the other")
        statements = [*without_resources(_statements(options, design), options.exclude)]
        _say(f"Tenants: {', '.join(ids)}")
        found = chain(
            leaks(design, statements, ids, options.tag),
            named_leaks(statements, ids, options.tag),
        )
        gaps = list(untried(statements, options.tag))
        problems = _report("By its policies", found, gaps)
        if options.table:
            known = statements if options.policies else None
            objects, missing = _objects(options, tenants, statements)
            gaps += missing
            tried = _tried(options, design, tenants, known, objects)
            problems += _report("Tried", tried, missing)
        return 1 if problems else 2 if gaps else 0
    except (LookupError, ValueError, OSError) as error:
        parser.error(str(error))
    except (StoreError, BotoCoreError) as error:
        _say(f"Stopped: {error}")
        return 2
    except KeyboardInterrupt:
        return 130


def _tried(
    options: argparse.Namespace,
    design: Design,
    tenants: Sequence[str],
    known: Sequence[Statement] | None,
    objects: Mapping[str, Sequence[str]],
) -> Iterator[Leak | str]:
    """What sessions reach that they must not, and what they do not reach that they should."""
    session = boto3.session.Session(region_name=options.region)
    open_client = partial(connect, endpoint_url=options.endpoint_url)
    sts = open_client(session, "sts")
    if options.through:
        sts = open_client(_session(_must(assume(sts, options.through, {})), options), "sts")
    of: dict[str | None, list[Place]] = {each: places(design, each) for each in tenants}
    for mine in (*tenants, None):
        tags = {} if mine is None else {options.tag: mine}
        credentials = assume(sts, options.role_arn, tags)
        if credentials is None:
            if mine is not None:
                raise LookupError(f"{options.role_arn} cannot be assumed for tenant {mine!r}")
            # As it should be: a session without a tag cannot be had.
            continue
        clients = partial(open_client, _session(credentials, options))
        tenant = TenantSession(clients("dynamodb"), design, options.table, mine)
        if mine is not None:
            yield from _unreached(tenant, of[mine], known, tags)
        yield from tenant.scans()
        yield from tenant.leaks(of)
        named = NamedSession(
            clients,
            mine,
            bucket=options.bucket,
            prefix=options.secrets,
            objects=objects,
        )
        yield from named.problems(tenants)


def _objects(
    options: argparse.Namespace, tenants: Sequence[str], statements: Sequence[Statement]
) -> tuple[dict[str, list[str]], list[str]]:
    """Keys of objects to request, by tenant; and the prefixes of policies that have no object."""
    keys: dict[str, list[str]] = {tenant: [] for tenant in tenants}
    missing = []
    if options.bucket:
        session = boto3.session.Session(region_name=options.region)
        s3 = connect(session, "s3", endpoint_url=options.endpoint_url)
        prefixes = tenant_prefixes(statements)
        for tenant, place, key in find_objects(s3, options.bucket, prefixes, tenants):
            if key:
                keys[tenant].append(key)
            else:
                missing.append(f"s3:GetObject on {options.bucket}/{place}: it has no object")
    return keys, missing


def _unreached(
    tenant: TenantSession,
    own: Sequence[Place],
    known: Sequence[Statement] | None,
    tags: dict[str, str],
) -> Iterator[str]:
    """A session that is refused everything proves nothing by being refused what is another's."""
    results = list(tenant.reached(own))
    if not any(reached for _, _, reached in results):
        yield f"tenant {tenant.mine!r} does not reach anything of its own"
    elif known is not None:
        for place, action, reached in results:
            call = Call(action, place.index, (place.partition,), tags)
            if not reached and allows(known, call):
                where = f"index {place.index}" if place.index else "the table"
                yield (
                    f"tenant {tenant.mine!r} does not reach its own, as its policies say: "
                    f"{action} on {where}, {place.partition}"
                )


def _report(how: str, problems: Iterable[Leak | str], gaps: Sequence[str] = ()) -> int:
    count = 0
    for problem in problems:
        print(one_line(f"{how}: {problem}"))
        count += 1
    for gap in gaps:
        print(one_line(f"{how}, not tried: {gap}"))
    clean = "cannot tell: narrow or --exclude what was not tried" if gaps else _CLEAN
    _say(f"{how}: {count} problems" if count else f"{how}: {clean}")
    return count


def _statements(options: argparse.Namespace, design: Design) -> list[Statement]:
    if options.policies:
        return from_file(Path(options.policies), options.role)
    return from_design(design, options.tag)


def _must(credentials: dict[str, str] | None) -> dict[str, str]:
    if credentials is None:
        raise LookupError("the role of --through cannot be assumed with these credentials")
    return credentials


def _session(credentials: dict[str, str], options: argparse.Namespace) -> Any:
    return boto3.session.Session(
        aws_access_key_id=credentials["AccessKeyId"],
        aws_secret_access_key=credentials["SecretAccessKey"],
        aws_session_token=credentials["SessionToken"],
        region_name=options.region,
    )


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="tablewright audit-isolation",
        description="Report every way in which a tenant could reach what is another tenant's.",
        epilog="For example: tablewright audit-isolation --design shop.orders:Orders "
        "--tenants acme bolt",
    )
    parser.add_argument(
        "--design",
        required=True,
        type=table_design,
        metavar="MODULE:NAME",
        help="the table's design, such as tablewright.catalog.forms.design:Forms",
    )
    parser.add_argument(
        "--tenants", nargs="+", default=[], metavar="ID", help="ids, instead of look-alikes"
    )
    parser.add_argument("--tag", default="tenant", help="the session tag (%(default)s)")
    parser.add_argument("--policies", metavar="FILE", help="a synthesized template or a policy")
    parser.add_argument("--role", metavar="ID", help="how the role's id begins in the template")
    parser.add_argument(
        "--exclude",
        nargs="+",
        default=[],
        metavar="TEXT",
        help="leave out resources of the policies that contain this text",
    )
    parser.add_argument("--table", metavar="NAME", help="try it for real, on this table")
    parser.add_argument("--role-arn", metavar="ARN", help="the role that sessions are had of")
    parser.add_argument(
        "--through", metavar="ARN", help="a role to assume first, if it trusts that"
    )
    parser.add_argument("--bucket", metavar="NAME", help="try it on the objects of this bucket")
    parser.add_argument("--secrets", metavar="PREFIX", help="try it on the secrets named so")
    parser.add_argument("--region", help="the table's region")
    parser.add_argument("--endpoint-url", help="where to find AWS, for an emulator")
    return parser


def _say(text: str) -> None:
    print(text, file=sys.stderr)
