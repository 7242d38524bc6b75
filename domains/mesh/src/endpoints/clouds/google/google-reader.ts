import { toError } from '@chandlery/api';
import type { GoogleResource } from '../../../kinds/clouds/google-resource.ts';
import type { AccountReader, AccountReading } from '../../../ports/clouds.ts';
import { cloudError } from '../cloud-errors.ts';
import { apiUrl } from '../cloud-http.ts';
import type { CallJson, JsonRequest } from '../json-api.ts';
import {
  type GoogleInventory,
  type GroupMember,
  type InstancePage,
  instancesIn,
  isIncomplete,
  unreadIn,
} from './google-inventory.ts';

type Spec = GoogleResource['spec'];

export interface GoogleReaderOptions {
  readonly project: string;
  readonly api: CallJson;
  /** Of a test server. Default: that of Google. */
  readonly endpoint?: string;
}

const apiHost = 'compute.googleapis.com';
/** The largest page of Compute Engine. */
const pageSize = 500;
/** A server that pages without end is cut off. */
const maxPages = 1000;

/** Reads the instances of a project in all zones, and the groups that its resources name. */
export class GoogleReader implements AccountReader<GoogleInventory> {
  readonly #options: GoogleReaderOptions;

  constructor(options: GoogleReaderOptions) {
    this.#options = options;
  }

  async read(resources: readonly Spec[], signal: AbortSignal): Promise<AccountReading<GoogleInventory>> {
    const names = [...new Set(resources.flatMap(({ instanceGroup }) => instanceGroup ?? []))].sort();
    const [pages, groups] = await Promise.all([
      this.#readInstances(signal),
      Promise.allSettled(names.map(group => this.#readGroup(group, signal))),
    ]);
    signal.throwIfAborted();
    const unreadGroups = names.filter((_, index) => groups[index]?.status === 'rejected');
    const inventory: GoogleInventory = {
      instances: new Map(pages.flatMap(instancesIn)),
      groups: new Map(groups.flatMap(group => (group.status === 'fulfilled' && group.value) || [])),
      unreadZones: [...new Set(pages.flatMap(unreadIn))].sort(),
      unreadGroups,
    };
    const error = this.#errorOf(inventory, groups);
    const places = [...inventory.unreadZones, ...unreadGroups];
    return { inventory, ...(error && { unread: { places, error } }) };
  }

  #errorOf({ unreadZones }: GoogleInventory, groups: readonly PromiseSettledResult<unknown>[]) {
    const failed = groups.find(group => group.status === 'rejected');
    if (failed !== undefined) return toError(failed.reason);
    if (unreadZones.length === 0) return undefined;
    const zones = unreadZones.join(', ');
    return cloudError('CloudUnreachable', `Google does not reach ${zones} of the project ${this.#options.project}`);
  }

  async #readInstances(signal: AbortSignal): Promise<readonly InstancePage[]> {
    const query = { returnPartialSuccess: 'true' };
    const pages = (await this.#pages({ path: 'aggregated/instances', query }, signal)) as readonly InstancePage[];
    if (!pages.some(isIncomplete)) return pages;
    throw cloudError('CloudUnreachable', `Google does not say which zones of ${this.#options.project} it lists`);
  }

  /** A managed group knows the health of its members; undefined for a group that does not exist. */
  async #readGroup(group: string, signal: AbortSignal) {
    const managed = group.replace('/instanceGroups/', '/instanceGroupManagers/');
    const post = { method: 'POST' } as const;
    const members =
      (await this.#items({ ...post, path: `${managed}/listManagedInstances` }, 'managedInstances', signal)) ??
      (await this.#items({ ...post, path: `${group}/listInstances` }, 'items', signal));
    return members === undefined ? undefined : [[group, members] as const];
  }

  async #items(request: PathRequest, field: string, signal: AbortSignal): Promise<readonly GroupMember[] | undefined> {
    const pages = await this.#pagesIfFound(request, signal);
    return pages?.flatMap(page => membersIn(page[field]));
  }

  async #pages(request: PathRequest, signal: AbortSignal): Promise<readonly Readonly<Record<string, unknown>>[]> {
    const pages = await this.#pagesIfFound(request, signal);
    if (pages !== undefined) return pages;
    throw cloudError('CloudDenied', `the credentials do not see the project ${this.#options.project}`, {
      hint: 'Give them the role Compute Viewer in it, or correct spec.google.project.',
    });
  }

  async #pagesIfFound({ method = 'GET', path, query = {} }: PathRequest, signal: AbortSignal) {
    const pages: Readonly<Record<string, unknown>>[] = [];
    let token: unknown;
    do {
      if (pages.length === maxPages)
        throw cloudError('CloudUnreachable', `Google has more than ${maxPages} pages of ${path}`);
      const url = this.#url(path, { ...query, ...(typeof token === 'string' && { pageToken: token }) });
      const page = await this.#options.api({ method, url }, signal);
      if (page === undefined) return undefined;
      pages.push(page);
      token = page['nextPageToken'];
    } while (typeof token === 'string' && token !== '');
    return pages;
  }

  #url(path: string, query: Readonly<Record<string, string>>): URL {
    const { endpoint, project } = this.#options;
    const url = apiUrl(endpoint, apiHost, `/compute/v1/projects/${project}/${path}`);
    url.searchParams.set('maxResults', String(pageSize));
    for (const [key, value] of Object.entries(query)) url.searchParams.set(key, value);
    return url;
  }
}

const membersIn = (list: unknown): readonly GroupMember[] =>
  Array.isArray(list) ? (list as readonly GroupMember[]) : [];

interface PathRequest extends Pick<JsonRequest, 'method'> {
  /** Below the project. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
}
