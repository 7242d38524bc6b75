import type { IForbiddenRuleType } from 'dependency-cruiser';

/** The rooms of a domain (folders and files below `src`), each with the rooms that it may import besides itself. */
type Rooms = Readonly<Record<string, readonly string[]>>;

const pure = ['kinds', 'errors', 'settings'];

/** The domains whose inner arrows are checked. */
const domains: Readonly<Record<string, Rooms>> = {
  brokers: {
    kinds: [],
    model: pure,
    ports: [...pure, 'model'],
    metrics: ['ports'],
    registry: [...pure, 'model'],
    'osb-client': [...pure, 'model', 'ports'],
    actions: [...pure, 'model', 'ports', 'registry', 'osb-client'],
    controllers: [...pure, 'model', 'ports', 'registry', 'osb-client', 'actions'],
    facade: [...pure, 'model', 'ports', 'registry', 'osb-client', 'actions'],
    adapters: [...pure, 'model', 'ports'],
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
