/** A page of a cluster that the navigation names. */
export interface Page {
  readonly name: string;
  readonly title: string;
  /** Pressed after "g". */
  readonly key: string;
}

/** The pages in the order of the navigation. */
export const pages: readonly Page[] = [
  { name: 'home', title: 'Home', key: 'h' },
  { name: 'catalogue', title: 'Catalogue', key: 'c' },
  { name: 'instances', title: 'Instances', key: 'i' },
  { name: 'orders', title: 'Orders', key: 'o' },
  { name: 'fleet', title: 'Fleet', key: 'f' },
  { name: 'mesh', title: 'Mesh', key: 'm' },
  { name: 'providers', title: 'Providers & brokers', key: 'p' },
  { name: 'tenants', title: 'Tenants', key: 't' },
  { name: 'kinds', title: 'All kinds', key: 'k' },
  { name: 'events', title: 'Events & audit', key: 'e' },
  { name: 'apis', title: 'API documents', key: 'a' },
  { name: 'settings', title: 'Settings', key: 's' },
];

/** The page that lists what a view is about, by group and plural as addresses have them. */
const pagesOfKinds: Readonly<Record<string, string>> = {
  'brokers.chandlery.io/serviceinstances': 'instances',
  'brokers.chandlery.io/servicebrokers': 'providers',
  'openmcp.cloud/serviceproviders': 'providers',
  'orders.chandlery.io/orders': 'orders',
  'core.openmcp.cloud/projects': 'tenants',
  'core.openmcp.cloud/workspaces': 'tenants',
  'core/events': 'events',
};

/** The page that a view belongs to: its own, or that of the kind whose list or object it shows. */
export function pageOfView(view: string, [group = '', plural = '']: readonly string[]): string {
  if (view !== 'list' && view !== 'object') return view;
  return pagesOfKinds[`${group}/${plural}`] ?? 'kinds';
}
