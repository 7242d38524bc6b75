import type { GoogleResource } from '../../../kinds/clouds/google-resource.ts';
import type { AccountReader, AccountReading } from '../../../ports/clouds.ts';
import { cloudError } from '../cloud-errors.ts';
import { apiUrl } from '../cloud-http.ts';
import type { CallJson, JsonRequest } from '../json-api.ts';
import {
  type ComputeInstance,
  type GoogleInventory,
  type GroupMember,
  type InstancePage,
  instancesIn,
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
    const { project } = this.#options;
    const names = [...new Set(resources.flatMap(({ instanceGroup }) => instanceGroup ?? []))].sort();
    const [pages, groups] = await Promise.all([
      this.#pages({ path: 'aggregated/instances', query: { returnPartialSuccess: 'true' } }, signal),
      Promise.all(names.map(async group => [group, await this.#readGroup(group, signal)] as const)),
    ]);
    const instances = new Map<string, ComputeInstance>(pages.flatMap(page => instancesIn(page as InstancePage)));
    const found = groups.flatMap(([group, members]) => (members === undefined ? [] : [[group, members] as const]));
    const inventory = { instances, groups: new Map(found) };
    const regions = [...new Set(pages.flatMap(page => unreadIn(page as InstancePage)))].sort();
    if (regions.length === 0) return { inventory };
    const error = cloudError(
      'CloudUnreachable',
      `Google does not reach all zones of ${regions.join(', ')} of ${project}`,
    );
    return { inventory, unread: { regions, error } };
  }

  /** A managed group knows the health of its members; undefined for a group that does not exist. */
  async #readGroup(group: string, signal: AbortSignal): Promise<readonly GroupMember[] | undefined> {
    const managed = group.replace('/instanceGroups/', '/instanceGroupManagers/');
    const post = { method: 'POST' } as const;
    const members = await this.#items({ ...post, path: `${managed}/listManagedInstances` }, 'managedInstances', signal);
    return members ?? (await this.#items({ ...post, path: `${group}/listInstances` }, 'items', signal));
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
