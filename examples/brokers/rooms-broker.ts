import { randomBytes, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { text } from 'node:stream/consumers';

const catalog = {
  services: [
    {
      id: 'rooms',
      name: 'rooms',
      description: 'Meeting rooms, as an example of something that can be ordered.',
      bindable: true,
      plans: [
        {
          id: 'rooms-small',
          name: 'small',
          description: 'A room for four.',
          free: true,
          metadata: { supportsInstanceSharing: true },
        },
      ],
    },
  ],
};

interface Room {
  /** By what a repeated order is known. */
  readonly order: string;
  /** The key of each binding. */
  readonly keys: Map<string, string>;
}

interface Answer {
  readonly status: number;
  readonly body?: object;
}

/** Serves rooms by the Open Service Broker API, from memory. Everything is done at once. */
export function createRoomsBroker(login: { readonly username: string; readonly password: string }): Server {
  const rooms = new Map<string, Room>();
  const expected = Buffer.from(`Basic ${Buffer.from(`${login.username}:${login.password}`).toString('base64')}`);
  return createServer((request, response) => {
    const refused: Answer = { status: 401 };
    const answered = isKnown(request, expected) ? answer(rooms, request) : Promise.resolve(refused);
    answered.then(
      ({ status, body = {} }) =>
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body)),
      () => response.destroy(),
    );
  });
}

function isKnown({ headers }: IncomingMessage, expected: Buffer): boolean {
  const given = Buffer.from(headers.authorization ?? '');
  return given.length === expected.length && timingSafeEqual(given, expected);
}

async function answer(rooms: Map<string, Room>, request: IncomingMessage): Promise<Answer> {
  if (request.headers['x-broker-api-version'] === undefined) return { status: 412 };
  const { pathname } = new URL(request.url ?? '/', 'http://broker');
  if (pathname === '/v2/catalog') return { status: 200, body: catalog };
  const found = /^\/v2\/service_instances\/([^/]+)(?:\/service_bindings\/([^/]+))?$/.exec(pathname);
  const [, roomId = '', bindingId] = found ?? [];
  if (found === null || (request.method !== 'PUT' && request.method !== 'DELETE')) return { status: 404 };
  const order = await text(request);
  if (bindingId !== undefined)
    return request.method === 'PUT' ? bind(rooms, roomId, bindingId) : unbind(rooms, roomId, bindingId);
  if (request.method === 'PUT') return provision(rooms, roomId, order);
  return rooms.delete(roomId) ? { status: 200 } : { status: 410 };
}

/** A repeated order is the same order; a different one under the same id is a conflict. */
function provision(rooms: Map<string, Room>, roomId: string, order: string): Answer {
  const { service_id, plan_id, parameters = {} } = JSON.parse(order) as Record<string, unknown>;
  const key = JSON.stringify([service_id, plan_id, parameters]);
  const room = rooms.get(roomId);
  if (room !== undefined) return { status: room.order === key ? 200 : 409 };
  rooms.set(roomId, { order: key, keys: new Map() });
  return { status: 201 };
}

function bind(rooms: Map<string, Room>, roomId: string, bindingId: string): Answer {
  const room = rooms.get(roomId);
  if (room === undefined) return { status: 404, body: { description: 'there is no such room' } };
  const known = room.keys.get(bindingId);
  const key = known ?? randomBytes(9).toString('base64url');
  room.keys.set(bindingId, key);
  return { status: known === undefined ? 201 : 200, body: { credentials: { room: roomId, key } } };
}

const unbind = (rooms: Map<string, Room>, roomId: string, bindingId: string): Answer => ({
  status: rooms.get(roomId)?.keys.delete(bindingId) === true ? 200 : 410,
});
