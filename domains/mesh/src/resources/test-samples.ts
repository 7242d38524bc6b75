import type { InboundPolicy, OutboundService, ProxyScope } from '../model/proxy-scope.ts';
import type { HttpMatch } from '../model/topology.ts';
import { defaultMeshTraffic, defaultProxyPorts } from '../model/traffic-settings.ts';

export const identity = {
  trustDomain: 'mesh.test',
  tenant: 'acme',
  cluster: 'eu-1',
  namespace: 'shop',
  serviceAccount: 'cart',
} as const;

const settings = { certificateFolder: '/mesh', traffic: defaultMeshTraffic, ports: defaultProxyPorts };
export const envoyScope: ProxyScope = {
  identity,
  dialect: 'envoy',
  isPermissive: false,
  ...settings,
};
export const grpcScope: ProxyScope = { identity, dialect: 'grpc', isPermissive: false, ...settings };

export const principalOf = (serviceAccount: string): string =>
  `spiffe://mesh.test/tenant/acme/cluster/eu-1/ns/shop/sa/${serviceAccount}`;

export const books: OutboundService = {
  service: { namespace: 'shop', name: 'books' },
  ports: [
    { name: 'http', port: 80, protocol: 'http' },
    { name: 'db', port: 5432, protocol: 'tcp' },
  ],
  addresses: ['10.96.0.7', 'fd00::7'],
  principals: [principalOf('books')],
};

const version = (name: string, weight: number) => ({ service: { namespace: 'shop', name }, weight });

/** Splits the traffic to {@link books}. */
export const splitBooks = (
  weights: Readonly<Record<string, number>>,
  matches?: readonly HttpMatch[],
): OutboundService => ({
  ...books,
  split: {
    source: 'shop/books',
    backends: Object.entries(weights).map(([name, weight]) => version(name, weight)),
    ...(matches && { matches }),
  },
});

export const match = (parts: Partial<HttpMatch>): HttpMatch => ({ name: 'm', methods: [], headers: {}, ...parts });

export const workloadPorts: InboundPolicy['ports'] = [
  { service: books.service, name: 'http', port: 80, targetPort: 8080, protocol: 'http' },
  { service: { namespace: 'shop', name: 'books-v2' }, name: 'http', port: 80, targetPort: 8080, protocol: 'http' },
  { service: books.service, name: 'db', port: 5432, targetPort: 5432, protocol: 'tcp' },
];

/** Cart may read and order books, the auditor may read them and connect to the database. */
export const policy: InboundPolicy = {
  ports: workloadPorts,
  rules: [
    {
      source: 'shop/audit',
      principals: [principalOf('auditor')],
      http: [match({ pathRegex: '/books', methods: ['GET'] })],
      tcpPorts: [5432],
    },
    {
      source: 'shop/cart',
      principals: [principalOf('cart')],
      http: [
        match({ pathRegex: '/books', methods: ['GET'] }),
        match({ pathRegex: '/orders|/carts', methods: ['POST', 'PUT'], headers: { 'x-client': 'web|app' } }),
      ],
    },
  ],
};
