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
