// Stands for the image of the built-in product on local clusters: a small HTTPS service with a name, a version and a
// volume, so that upgrades, suspension and loss are visible.
import { mkdirSync, readFileSync, renameSync, watchFile, writeFileSync } from 'node:fs';
import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { join } from 'node:path';

/** Offered so that a rollout can be seen to fail. */
const brokenVersions: readonly string[] = ['1.0.1'];

const { NAME: name = 'dinosaur', VERSION: version = '', DATA_DIR: dataDir = '.', TLS_DIR: tlsDir = '.' } = process.env;
const { PORT_HTTPS: httpsPort = '8443', PORT_ADMIN: adminPort = '8080', HOST: host = '127.0.0.1' } = process.env;
const certificateCheckMs = 2000;

interface Memory {
  /** When the volume was first used. */
  readonly born: string;
  /** Requests that were served since. */
  readonly visits: number;
  /** All versions that used the volume. */
  readonly versions: readonly string[];
}

if (brokenVersions.includes(version)) {
  console.error(`version ${version} is broken on purpose`);
  process.exit(1);
}
mkdirSync(dataDir, { recursive: true });
const memoryFile = join(dataDir, 'memory.json');
let memory = remember(recall());
const https = createHttpsServer(readCertificate(), respond()).listen(Number(httpsPort), host);
const admin = createHttpServer(respond()).listen(Number(adminPort), host);
watchFile(join(tlsDir, 'tls.crt'), { interval: certificateCheckMs }, () => https.setSecureContext(readCertificate()));
console.log(`${name} ${version} listens on ${httpsPort}`);
process.on('SIGTERM', () => {
  for (const server of [https, admin]) server.close().closeAllConnections();
  process.exit(0);
});

function respond(): RequestListener {
  return (request, response) => {
    const [path] = (request.url ?? '').split('?');
    if (path === '/healthz') response.end('ok\n');
    else if (path === '/metrics') response.setHeader('content-type', 'text/plain; version=0.0.4').end(metrics());
    else if (path === '/') response.setHeader('content-type', 'application/json').end(visit());
    else response.writeHead(404).end();
  };
}

function visit(): string {
  memory = remember({ ...memory, visits: memory.visits + 1 });
  return `${JSON.stringify({ name, version, ...memory })}\n`;
}

const metrics = (): string => `# TYPE dinosaur_visits_total counter\ndinosaur_visits_total ${memory.visits}\n`;

function readCertificate(): { readonly cert: string; readonly key: string } {
  const read = (file: string): string => readFileSync(join(tlsDir, file), 'utf8');
  return { cert: read('tls.crt'), key: read('tls.key') };
}

function recall(): Memory {
  const { born, visits, versions } = readMemory() ?? { born: new Date().toISOString(), visits: 0, versions: [] };
  return { born, visits, versions: versions.includes(version) ? versions : [...versions, version] };
}

function readMemory(): Memory | undefined {
  try {
    return JSON.parse(readFileSync(memoryFile, 'utf8')) as Memory;
  } catch {
    return undefined;
  }
}

function remember(next: Memory): Memory {
  writeFileSync(`${memoryFile}.new`, JSON.stringify(next));
  renameSync(`${memoryFile}.new`, memoryFile);
  return next;
}
