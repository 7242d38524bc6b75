import type { KubeObject } from '@chandlery/api';
import type { User } from '../model/tenants/members.ts';
import type { Admission } from './admit-tenant.ts';

/** A write of an object that may be an instance of the service manager. */
export interface MarkedWrite {
  /** The object to be stored. Not changed. */
  readonly object: KubeObject;
  /** The stored object; undefined for a creation. */
  readonly live: KubeObject | undefined;
  readonly user: User;
}

/** The prefix of labels and annotations by which the service manager identifies its instances. */
const markPrefix = 'osb.chandlery.io/';
/** The landscape itself, which creates instances, and operators. */
const masters = 'system:masters';

/**
 * Admits a write of any object: only the landscape may set, change or remove labels and annotations of the service
 * manager. A client that could set them could redirect a platform's next request to an object of its own.
 */
export function admitOfferingMarks({ object, live, user }: MarkedWrite): Admission<KubeObject> {
  if (user.groups.includes(masters)) return { type: 'allow', object };
  const changed = changedMark(object, live, 'labels') ?? changedMark(object, live, 'annotations');
  if (changed === undefined) return { type: 'allow', object };
  const message = `"${changed}" is set by the service manager alone; leave it as it is, and buy instances through the service manager`;
  return { type: 'deny', message };
}

function changedMark(
  { metadata }: KubeObject,
  live: KubeObject | undefined,
  where: 'labels' | 'annotations',
): string | undefined {
  const now = metadata[where] ?? {};
  const before = live?.metadata[where] ?? {};
  const keys = new Set([...Object.keys(now), ...Object.keys(before)]);
  return [...keys].find(key => key.startsWith(markPrefix) && now[key] !== before[key]);
}
