import { ChandleryError, isError, type KubeObject } from '@chandlery/api';
import type { RetryOptions, WorkflowDocument } from '@chandlery/workflow';
import { Agent, request } from 'undici';
import { OrdersError } from '../../errors.ts';
import type { ArgoServerSettings } from '../../model/argo/argo-settings.ts';
import type { NodeOutputs, WorkflowAddress } from '../../order-ports.ts';

const timeoutMs = 30_000;

interface Call {
  readonly method?: 'GET' | 'POST' | 'PUT';
  readonly body?: object;
}

/** The REST API of an Argo server: what the objects on its cluster do not offer. */
export class ArgoServer implements AsyncDisposable {
  readonly #settings: ArgoServerSettings;
  readonly #agent: Agent;

  constructor(settings: ArgoServerSettings) {
    this.#settings = settings;
    this.#agent = new Agent(settings.caPem === undefined ? {} : { connect: { ca: settings.caPem } });
  }

  /**
   * Rejects with `invalid` and Argo's own text for a document that it does not accept. Servers that respond 500 to such a
   * document, as 4.0 does, cannot be distinguished from broken ones: then the controller decides.
   */
  async lint(document: WorkflowDocument): Promise<void> {
    const namespace = document.metadata.namespace ?? '';
    const body = { namespace, workflow: document };
    try {
      await this.#send(`${encodeURIComponent(namespace)}/lint`, { method: 'POST', body });
    } catch (error) {
      if (!isError(error, 'UnexpectedAnswer')) throw error;
    }
  }

  /** Returns a Workflow with the nodes that are in Argo's database; undefined when there is none. */
  async get(address: WorkflowAddress): Promise<KubeObject | undefined> {
    try {
      return (await this.#send(pathOf(address))) as KubeObject;
    } catch (error) {
      if (error instanceof OrdersError && error.restCode === 'not-found') return undefined;
      throw error;
    }
  }

  async resume(address: WorkflowAddress, selector: string | undefined): Promise<void> {
    await this.#control(address, 'resume', { nodeFieldSelector: selector ?? '' });
  }

  async setOutputs(address: WorkflowAddress, { selector, parameters }: NodeOutputs): Promise<void> {
    const outputParameters = JSON.stringify(parameters);
    await this.#control(address, 'set', { nodeFieldSelector: selector ?? '', outputParameters });
  }

  async retry(address: WorkflowAddress, options: RetryOptions): Promise<void> {
    const { restartSuccessful = false, selector = '', parameters = {} } = options;
    await this.#control(address, 'retry', {
      restartSuccessful,
      nodeFieldSelector: selector,
      parameters: Object.entries(parameters).map(([name, value]) => `${name}=${value}`),
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#agent.destroy();
  }

  async #control(address: WorkflowAddress, verb: string, body: object): Promise<void> {
    const { namespace, name } = address;
    await this.#send(`${pathOf(address)}/${verb}`, { method: 'PUT', body: { namespace, name, ...body } });
  }

  async #send(path: string, { method = 'GET', body }: Call = {}): Promise<unknown> {
    const { url, token } = this.#settings;
    const response = await request(`${url.replace(/\/+$/, '')}/api/v1/workflows/${path}`, {
      dispatcher: this.#agent,
      method,
      headers: {
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      body: body === undefined ? null : JSON.stringify(body),
      signal: AbortSignal.timeout(timeoutMs),
    }).catch((cause: unknown) => {
      throw new ChandleryError('ConnectionFailed', `the Argo server ${url} does not respond`, { cause });
    });
    const text = await response.body.text();
    if (response.statusCode < 300) return text === '' ? {} : JSON.parse(text);
    throw errorOf(response.statusCode, messageIn(text), url);
  }
}

const pathOf = ({ namespace, name }: WorkflowAddress): string =>
  `${encodeURIComponent(namespace)}/${encodeURIComponent(name)}`;

/** Argo responds `{code, message}`; a proxy before it may respond anything. */
function messageIn(text: string): string {
  try {
    const { message } = JSON.parse(text) as { readonly message?: unknown };
    return typeof message === 'string' ? message : text.slice(0, 200);
  } catch {
    return text.slice(0, 200);
  }
}

function errorOf(status: number, message: string, url: string): Error {
  if (status === 400 || status === 422) return new OrdersError('invalid', message);
  if (status === 404) return new OrdersError('not-found', message);
  // Argo 4.0 responds 500 also to what the caller did wrong.
  if (/output parameter '/.test(message)) return new OrdersError('invalid', message);
  if (message.includes('no suspend nodes matching')) return new OrdersError('conflict', message);
  if (status === 409) return new OrdersError('conflict', message);
  return new ChandleryError('UnexpectedAnswer', `the Argo server ${url} responded ${status}: ${message}`);
}
