/** An instance of Compute Engine, as far as it is read. */
export interface ComputeInstance {
  /** `https://www.googleapis.com/compute/v1/projects/p/zones/z/instances/i`. */
  readonly selfLink?: string;
  readonly name?: string;
  /** URL of the zone. */
  readonly zone?: string;
  readonly status?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly networkInterfaces?: readonly {
    readonly networkIP?: string;
    readonly ipv6Address?: string;
    readonly accessConfigs?: readonly { readonly natIP?: string }[];
    readonly ipv6AccessConfigs?: readonly { readonly externalIpv6?: string }[];
  }[];
}

/** A member of a group. */
export interface GroupMember {
  /** URL of the instance. */
  readonly instance?: string;
  /** Of a managed group: `NONE`, `CREATING`, `DELETING`, …. */
  readonly currentAction?: string;
  /** Of a managed group with a health check. */
  readonly instanceHealth?: readonly { readonly detailedHealthState?: string }[];
}

interface Warning {
  readonly code?: string;
}

/** A page of the aggregated list of instances. */
export interface InstancePage {
  readonly items?: Readonly<
    Record<string, { readonly instances?: readonly ComputeInstance[]; readonly warning?: Warning }>
  >;
  /** `projects/p/zones/z` each. */
  readonly unreachables?: readonly string[];
  readonly warning?: Warning;
}

/** What a poll of a project reads. */
export interface GoogleInventory {
  /** By `zones/z/instances/i`. */
  readonly instances: ReadonlyMap<string, ComputeInstance>;
  /** By `zones/z/instanceGroups/g` or `regions/…`. */
  readonly groups: ReadonlyMap<string, readonly GroupMember[]>;
  /** Zones that did not respond. */
  readonly unreadZones: readonly string[];
  /** Groups that could not be read. */
  readonly unreadGroups: readonly string[];
}

/** `zones/z/instances/i` in the URL of an instance. */
export const pathOf = (url: string): string => /zones\/[^/]+\/instances\/[^/]+$/.exec(url)?.[0] ?? url;

export const zoneOf = (path: string): string => path.split('/')[1] ?? '';

/** `europe-west1` of `europe-west1-b`. */
export const regionOf = (zone: string): string => zone.replace(/-[a-z0-9]+$/, '');

/** The instances of a page, with their paths. */
export const instancesIn = ({ items = {} }: InstancePage): readonly (readonly [string, ComputeInstance])[] =>
  Object.entries(items).flatMap(([scope, { instances = [] }]) =>
    instances.map(instance => [`${scope}/instances/${instance.name ?? ''}`, instance] as const),
  );

/** Zones that did not respond. */
export const unreadIn = ({ items = {}, unreachables = [] }: InstancePage): readonly string[] => {
  const warned = Object.entries(items).flatMap(([scope, { warning }]) => (isUnreachable(warning) ? [scope] : []));
  return [...warned, ...unreachables].map(scope => scope.slice(scope.lastIndexOf('/') + 1));
};

/** Whether a page lacks zones that it does not name. */
export const isIncomplete = (page: InstancePage): boolean => isUnreachable(page.warning) && unreadIn(page).length === 0;

const isUnreachable = (warning: Warning | undefined): boolean => warning?.code === 'UNREACHABLE';
