/** A group of pages in the side bar: for a person, or of one sort. */
export interface NavigationGroup {
  readonly text: string;
  /** Pages by their path in the site, without the extension, with their titles. */
  readonly items: readonly { readonly text: string; readonly link: string }[];
}

const page = (text: string, link: string) => ({ text, link: `/${link}` });

/** The side bar: by person, then concepts and references. Pages that do not exist (yet) are left out. */
export const navigation: readonly NavigationGroup[] = [
  {
    text: 'Start',
    items: [page('What it is', 'index'), page('Concepts', 'concepts'), page('Install', 'install')],
  },
  {
    text: 'Tenant',
    items: [page('A day', 'tenants'), page('The catalogue', 'catalogue'), page('Services and orders', 'orders')],
  },
  {
    text: 'Operator',
    items: [
      page('Production', 'operating'),
      page('Metrics', 'metrics'),
      page('Deployment models', 'deployment-models'),
    ],
  },
  { text: 'Provider developer', items: [page('Providers', 'providers')] },
  {
    text: 'Platform owner',
    items: [
      page('Platforms and brokers', 'platforms'),
      page('Commands', 'service-manager-cli'),
      page('The broker proxy', 'proxy'),
    ],
  },
  {
    text: 'Mesh user',
    items: [
      page('The mesh', 'mesh'),
      page('Machines of clouds', 'mesh-clouds'),
      page('AWS', 'mesh-aws'),
      page('Azure', 'mesh-azure'),
      page('Google Cloud', 'mesh-google'),
    ],
  },
  {
    text: 'Product owner',
    items: [page('The fleet', 'fleet'), page('A product', 'fleet-products'), page('App servers', 'orders-app-server')],
  },
  {
    text: 'Reference',
    items: [
      page('Commands', 'reference/commands'),
      page('Settings of the server', 'reference/settings'),
      page('Kinds', 'reference/kinds'),
      page('Error codes', 'reference/errors'),
      page('Glossary', 'glossary'),
      page('Decisions', 'decisions/README'),
    ],
  },
];
