import type { KubeObject } from '@chandlery/api';
import type { User } from '../model/tenants/members.ts';
import type { Admission } from './admit-tenant.ts';

/** A write of an object that may stand for an instance of the service manager. */
export interface MarkedWrite {
  /** As it is about to be stored. Not changed. */
  readonly object: KubeObject;
  /** As it is stored; undefined when it is created. */
  readonly live: KubeObject | undefined;
  readonly user: User;
}

/** What labels and annotations begin with by which the service manager knows its instances again. */
const markPrefix = 'osb.chandlery.io/';
/** The landscape itself, in whose name instances are made, and the operator. */
const masters = 'system:masters';

/**
 * Decides about a write of any object: marks of the service manager are set, changed and taken away by the landscape
 * alone. Whoever could set them would have a platform's next request go to an object of their own.
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
