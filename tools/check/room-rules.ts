import type { IForbiddenRuleType } from 'dependency-cruiser';

/** The rooms of a domain (folders and files below `src`), each with the rooms that it may import besides itself. */
type Rooms = Readonly<Record<string, readonly string[]>>;

const pure = ['kinds', 'errors', 'settings'];
const orderPorts = ['ports', 'order-ports', 'workflow-ports'];

/** The domains whose inner arrows are checked. */
const domains: Readonly<Record<string, Rooms>> = {
  brokers: {
    kinds: [],
    model: pure,
    ports: [...pure, 'model'],
    metrics: ['model', 'ports'],
    registry: [...pure, 'model'],
    'osb-client': [...pure, 'model', 'ports'],
    actions: [...pure, 'model', 'ports', 'registry', 'osb-client'],
    controllers: [...pure, 'model', 'ports', 'registry', 'osb-client', 'actions'],
    facade: [...pure, 'model', 'ports', 'registry', 'osb-client', 'actions'],
    adapters: [...pure, 'model', 'ports'],
  },
  clusters: {
    kinds: [],
    model: pure,
    ports: [...pure, 'model'],
    controllers: [...pure, 'model', 'ports'],
    adapters: [...pure, 'model', 'ports'],
  },
  providers: {
    kinds: [],
    model: pure,
    ports: [...pure, 'model'],
    admission: [...pure, 'model'],
    controllers: [...pure, 'model', 'ports'],
    facade: [...pure, 'model', 'ports'],
    adapters: [...pure, 'model', 'ports'],
  },
  fleet: {
    kinds: [],
    model: pure,
    ports: [...pure, 'model'],
    metrics: [...pure, 'model', 'ports', 'registry'],
    registry: [...pure, 'model'],
    products: ['kinds'],
    actions: [...pure, 'model', 'ports', 'registry'],
    controllers: [...pure, 'model', 'ports', 'registry', 'actions'],
    facade: [...pure, 'model', 'ports', 'registry', 'actions'],
    // Embedded adapters (DNS, metrics) keep their state in the registry; the agents' images are those of the products.
    adapters: [...pure, 'model', 'ports', 'port-errors', 'registry', 'products'],
  },
  orders: {
    kinds: [],
    // Documents and deployments are described by types of `order-ports.ts`.
    model: [...pure, 'order-ports'],
    models: [...pure, 'model'],
    ports: [...pure, 'model'],
    'order-ports': [...pure, 'model', 'ports'],
    'workflow-ports': [...pure, 'model', 'ports'],
    metrics: [...pure, 'model', 'registry'],
    registry: [...pure, 'model'],
    actions: [...pure, ...orderPorts, 'model', 'models', 'registry'],
    controllers: [...pure, ...orderPorts, 'model', 'registry', 'actions'],
    facade: [...pure, ...orderPorts, 'model', 'models', 'registry', 'actions'],
    // The data proxy is a façade for jobs: it calls actions and reads the registry.
    adapters: [...pure, ...orderPorts, 'model', 'registry', 'actions'],
  },
};

const pathOf = (domain: string, rooms: readonly string[]): string =>
  String.raw`^domains/${domain}/src/(${rooms.join('|')})(/|\.ts$)`;

/** The model is pure, façades and controllers see ports and no adapters, and adapters know neither. */
export const roomRules = (testCode: string): readonly IForbiddenRuleType[] =>
  Object.entries(domains).flatMap(([domain, rooms]) =>
    Object.entries(rooms).map(([room, mayUse]) => ({
      name: `${domain}-${room}-room`,
      comment: `domains/${domain}/src/${room} may import of its domain: ${[room, ...mayUse].join(', ')}.`,
      severity: 'error' as const,
      from: { path: pathOf(domain, [room]), pathNot: testCode },
      to: { path: `^domains/${domain}/src/`, pathNot: pathOf(domain, [room, ...mayUse]) },
    })),
  );
