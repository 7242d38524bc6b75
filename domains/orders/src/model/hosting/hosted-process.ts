import { validateDnsSubdomain } from '@chandlery/api';
import { invalidField } from '../../errors.ts';
import { fieldsOf, type Json } from '../bodies/body-fields.ts';
import { readCommand } from '../documents/container-plan.ts';
import { type ContainerResources, plainResources } from '../documents/resources.ts';

/** A server that runs as long as its service exists. */
export interface HostedProcess {
  readonly image: string;
  /** Empty: that of the image. */
  readonly command: readonly string[];
  /** On nodes that give pods a network of their own. */
  readonly port: number;
  readonly resources: ContainerResources;
  /** The path that answers 2xx once the server is ready. Undefined: it is ready when it accepts connections. */
  readonly readyPath?: string | undefined;
}

const defaultPort = 8080;

/** Reads a controller with `image`, `command`, `port`, `resources` and `ready-url`. Throws `invalid`. */
export function readHostedProcess(controller: Json): HostedProcess {
  const fields = fieldsOf(controller, 'controller.');
  const readyPath = readReadyPath(fields.text('ready-url'));
  checkAccount(fields.text('service-account'));
  return {
    image: fields.requiredText('image'),
    command: readCommand(controller),
    port: fields.integer('port') ?? defaultPort,
    resources: plainResources(controller),
    ...(readyPath !== undefined && { readyPath }),
  };
}

/** What the proxy in front of the process authenticates as. */
function checkAccount(given: string | undefined): void {
  if (given === undefined || validateDnsSubdomain(given).length === 0) return;
  const name = 'controller.service-account';
  throw invalidField(name, `${name} must be the name of a service account in the namespace of the tenant`, given);
}

const localNames = ['localhost', '127.0.0.1', '[::1]', '0.0.0.0'];

/** A path, or a URL of the server itself, of which the path counts. */
function readReadyPath(given: string | undefined): string | undefined {
  if (given === undefined) return undefined;
  if (given.startsWith('/') && URL.canParse(given, 'http://localhost')) return given;
  const url = URL.canParse(given) ? new URL(given) : undefined;
  if (url?.protocol === 'http:' && localNames.includes(url.hostname)) return url.pathname + url.search;
  const name = 'controller.ready-url';
  throw invalidField(name, `${name} must be a path such as /_healtz, or an http URL of localhost`, given);
}
