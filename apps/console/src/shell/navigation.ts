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
  { name: 'providers', title: 'Providers & brokers', key: 'p' },
  { name: 'tenants', title: 'Tenants', key: 't' },
  { name: 'kinds', title: 'All kinds', key: 'k' },
  { name: 'events', title: 'Events', key: 'e' },
  { name: 'settings', title: 'Settings', key: 's' },
];
