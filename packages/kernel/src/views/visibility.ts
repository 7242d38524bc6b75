import { isDeepStrictEqual } from 'node:util';
import { apiError, type ChandleryError } from '@chandlery/api';
import type { AccessRegistry } from '../access/access-registry.ts';
import type { ClusterAccess } from '../access/cluster-access.ts';
import { rbacGroup } from '../access/rbac-objects.ts';
import { isMaster, parseServiceAccountUsername, type UserInfo } from '../access/user.ts';
import type { ChangeFeed } from '../feed/change-feed.ts';
import type { FeedEvent } from '../feed/feed-event.ts';
import type { Store } from '../store/store.ts';
import type { VisiblePart } from './visible-parts.ts';

/** The part of a collection that one user sees. Lists read it, watches end when it becomes another. */
export interface Visibility {
  /** In key order. */
  readonly parts: readonly VisiblePart[];
  /** A list shows the state of this revision, so that a watch from there notices when the parts become others. */
  readonly revision: number;
  /**
   * Calls `onChange` once the parts are no longer those of `revision`. Rejects with `Expired` when they may have changed
   * already. Resolves to the function that ends it.
   */
  follow(revision: number, onChange: (error: ChandleryError) => void): Promise<() => void>;
}

export interface VisibilityDeps {
  readonly store: Pick<Store, 'currentRevision'>;
  readonly feed: ChangeFeed;
  readonly access: AccessRegistry;
}

/** Whose view of what is asked for, and how the parts follow from rights. */
export interface VisibilityQuery {
  /** The logical cluster whose rights count. */
  readonly cluster: string;
  readonly user: UserInfo;
  /** Undefined: everything. */
  readonly parts: (access: ClusterAccess) => Promise<readonly VisiblePart[] | undefined>;
  /** Whether a change of a namespace can change the parts. Default: none can. */
  readonly concernsNamespace?: Concern;
}

/** How long a replica may be behind before it answers by what it knows. */
const maxCatchUpMs = 1000;

/** The part of a collection that a user sees now; undefined when that is all of it. */
export async function visibilityOf(deps: VisibilityDeps, query: VisibilityQuery): Promise<Visibility | undefined> {
  const { store, feed, access } = deps;
  await feed.reachedWithin(await store.currentRevision(), maxCatchUpMs);
  const revision = feed.position;
  const rights = await access.of(query.cluster);
  const parts = await query.parts(rights);
  if (parts === undefined) return undefined;
  const roles = rights.roleNamesOf(query.user);
  return {
    parts,
    revision,
    follow: (after, onChange) => follow(deps, { ...query, known: parts, roles, after, onChange }),
  };
}

interface Following extends VisibilityQuery {
  readonly known: readonly VisiblePart[];
  readonly roles: ReadonlySet<string>;
  readonly after: number;
  readonly onChange: (error: ChandleryError) => void;
}

const changed = (): ChandleryError => apiError('Expired', 'too old resource version: what you may see has changed');

async function follow(deps: VisibilityDeps, following: Following): Promise<() => void> {
  const { cluster, after, onChange } = following;
  const recheck = rechecking(deps, following);
  let hasChanged = false;
  let isLive = false;
  const stops: (() => void)[] = [];
  const stop = (): void => stops.splice(0).forEach(end => end());
  const take = async (events: readonly FeedEvent[], concerns: Concern): Promise<void> => {
    for (const event of events) {
      if (!(await concerns(event))) continue;
      if (!isLive) hasChanged = true;
      else if (await recheck()) onChange(changed());
      return;
    }
  };
  try {
    for (const [resource, concerns] of concernsOf(following))
      stops.push(await deps.feed.follow({ cluster, resource }, after, events => take(events, concerns)));
  } catch (error) {
    stop();
    throw error;
  }
  isLive = true;
  if (!hasChanged) return stop;
  stop();
  throw changed();
}

/** Looks whether the parts are others now; questions that come meanwhile share the next look. */
function rechecking(deps: VisibilityDeps, { cluster, parts, known }: Following): () => Promise<boolean> {
  const look = async (): Promise<boolean> => {
    await deps.feed.reachedWithin(await deps.store.currentRevision(), maxCatchUpMs);
    return !isDeepStrictEqual(await parts(await deps.access.of(cluster)), known);
  };
  let waiting: Promise<boolean> | undefined;
  let running: Promise<unknown> = Promise.resolve();
  return () => {
    waiting ??= running.then(() => {
      waiting = undefined;
      const looking = look();
      running = looking.catch(() => undefined);
      return looking;
    });
    return waiting;
  };
}

/** Whether a change may be one of the parts. */
type Concern = (event: FeedEvent) => boolean | Promise<boolean>;

function concernsOf({ user, known, roles, concernsNamespace }: Following): [resource: string, concern: Concern][] {
  const byNamespace: [string, Concern][] = concernsNamespace === undefined ? [] : [['/namespaces', concernsNamespace]];
  // The rights of masters cannot be revoked.
  if (isMaster(user)) return byNamespace;
  const namespaces = new Set(known.map(({ namespace }) => namespace).filter(namespace => namespace !== ''));
  const isNamed = namesOf(user);
  const binding: Concern = async event =>
    namespaces.has(event.change.key.namespace) ||
    isNamed(text => event.mentions(text)) ||
    (event.change.type === 'updated' && isNamed(textsOf(await event.previous())));
  const role: Concern = event => roles.has(event.change.key.name) || event.mentions(aggregationLabelPrefix);
  return [
    [`${rbacGroup}/rolebindings`, binding],
    [`${rbacGroup}/clusterrolebindings`, binding],
    [`${rbacGroup}/roles`, role],
    [`${rbacGroup}/clusterroles`, role],
    ...byNamespace,
  ];
}

const aggregationLabelPrefix = 'rbac.authorization.k8s.io/aggregate-to-';

/** Whether a subject matches the user: by name, by group or as a service account. */
function namesOf({ username, groups }: UserInfo): (mentions: (text: string) => boolean) => boolean {
  const account = parseServiceAccountUsername(username);
  const names = [username, ...groups, ...(account === undefined ? [] : [account.name])];
  const texts = names.map(name => JSON.stringify(name));
  return mentions => texts.some(mentions);
}

function textsOf(object: object | undefined): (text: string) => boolean {
  const json = object === undefined ? '' : JSON.stringify(object);
  return text => json.includes(text);
}
