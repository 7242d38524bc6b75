import { setTimeout as sleep } from 'node:timers/promises';
import { apiError } from '@chandlery/api';
import {
  type AuditPage,
  type AuditQuery,
  type AuditReaderOptions,
  findAuditEntry,
  type PlacedAuditEntry,
  readAudit,
} from './audit-reader.ts';
import { type HttpLogger, silentLogger } from './logger.ts';
import { RotatingFile } from './rotating-file.ts';

/** One write: requested by a client, or made by the landscape itself. Never holds bodies or secrets. */
export interface AuditEntry {
  /** RFC 3339. */
  readonly time: string;
  /** The request's id. */
  readonly id: string;
  readonly user: string;
  readonly groups: readonly string[];
  /** Who really asked, when acting as `user`. */
  readonly impersonator?: string;
  readonly sourceIp: string;
  readonly userAgent: string;
  /** Logical cluster. */
  readonly cluster: string;
  readonly verb: string;
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly subresource?: string;
  readonly namespace?: string;
  readonly name?: string;
  /** Of a request to an API that is not that of Kubernetes. */
  readonly path?: string;
  readonly dryRun?: boolean;
  /** Why the landscape wrote by itself: the component, and the object that it reconciled or the user whom it served. */
  readonly cause?: {
    readonly component: string;
    readonly object?: string;
    readonly user?: string;
    readonly requestId?: string;
  };
  /** HTTP status of the answer. */
  readonly code: number;
  /** Of a rejection. */
  readonly reason?: string;
  readonly latencyMs: number;
}

/** Where records go. */
export type AuditTarget =
  | { readonly to: 'file'; readonly path: string }
  | { readonly to: 'stdout' }
  | { readonly to: 'off' };

export interface AuditLogOptions {
  readonly target: AuditTarget;
  /** Default 100 MiB. */
  readonly maxBytes?: number;
  /** Files kept besides the one being written. Default 5. */
  readonly keep?: number;
  /** Default: silent. */
  readonly logger?: HttpLogger;
}

/** So long, records gather to be written together. */
const gatherMs = 10;
/** Beyond this, a disk that does not keep up loses records rather than memory. */
const maxPendingBytes = 16 * 1024 * 1024;

/** Longer texts and lists are cut: clients choose them, and what is written pushes out what was written before. */
const maxTextLength = 500;
const maxListed = 200;
/** Rejected requests of clients without an identity in a minute: every client can send them, until nothing else is left. */
export const maxUnknownPerMinute = 600;
const unknownUsers: readonly string[] = ['', 'system:anonymous'];

/**
 * Appends one JSON line for each write; of those that were rejected for want of an identity, a number each minute.
 *
 * Recording never waits and never fails: lines gather until the disk is free and then go out together. When the disk
 * fails, the lines of that moment are lost, which is said once in the log until it works again.
 */
export class AuditLog {
  readonly #sink: AuditSink | undefined;
  readonly #logger: HttpLogger;
  readonly #target: AuditTarget;
  readonly #keep: number;
  #lines: string[] = [];
  #pendingBytes = 0;
  #writing: Promise<void> | undefined;
  #isFailing = false;
  #minute = '';
  #unknownInMinute = 0;

  constructor({ target, maxBytes = 100 * 1024 * 1024, keep = 5, logger = silentLogger }: AuditLogOptions) {
    this.#logger = logger;
    this.#target = target;
    this.#keep = keep;
    this.#sink = openSink(target, { maxBytes, keep });
  }

  record(entry: AuditEntry): void {
    if (this.#sink === undefined || this.#isOneTooMany(entry)) return;
    if (this.#pendingBytes > maxPendingBytes) return this.#failed(new Error('the disk does not keep up'));
    const line = `${JSON.stringify(entry, shortened)}\n`;
    this.#lines.push(line);
    this.#pendingBytes += line.length;
    this.#writing ??= this.#writePending();
  }

  #isOneTooMany({ time, code, user }: AuditEntry): boolean {
    if (code < 400 || !unknownUsers.includes(user)) return false;
    const minute = time.slice(0, 'YYYY-MM-DDTHH:MM'.length);
    if (minute !== this.#minute) this.#unknownInMinute = 0;
    this.#minute = minute;
    this.#unknownInMinute += 1;
    if (this.#unknownInMinute === maxUnknownPerMinute + 1)
      this.#logger.warn('more rejected writes without an identity than the audit log keeps in a minute', { minute });
    return this.#unknownInMinute > maxUnknownPerMinute;
  }

  /** Reads records, the newest first. Throws `MethodNotAllowed` when they are not kept in a file, and `Expired`. */
  read(query: AuditQuery): Promise<AuditPage> {
    return readAudit(query, this.#files());
  }

  /** The record at a position that {@link read} has returned; undefined when it is not kept. */
  find(position: string): Promise<PlacedAuditEntry | undefined> {
    return findAuditEntry(position, this.#files());
  }

  #files(): AuditReaderOptions {
    const target = this.#target;
    if (target.to === 'file') return { path: target.path, keep: this.#keep };
    const why = target.to === 'off' ? 'is switched off (--audit-log off)' : 'goes to standard output (--audit-log -)';
    throw apiError('MethodNotAllowed', `the audit log ${why}: its records cannot be read here`);
  }

  /** Resolves when everything recorded so far has been handed to the sink. */
  async flush(): Promise<void> {
    await this.#writing;
  }

  async close(): Promise<void> {
    await this.flush();
    await this.#sink?.close();
  }

  async #writePending(): Promise<void> {
    while (this.#lines.length > 0) {
      // One write costs as much as another, however many records are in it.
      await sleep(gatherMs);
      const bytes = Buffer.from(this.#lines.join(''));
      this.#lines = [];
      this.#pendingBytes = 0;
      await this.#append(bytes);
    }
    this.#writing = undefined;
  }

  async #append(bytes: Buffer): Promise<void> {
    try {
      await this.#sink?.append(bytes);
      if (this.#isFailing) this.#logger.info('the audit log can be written again');
      this.#isFailing = false;
    } catch (failure) {
      this.#failed(failure);
    }
  }

  #failed(failure: unknown): void {
    if (this.#isFailing) return;
    this.#isFailing = true;
    const why = failure instanceof Error ? failure.message : String(failure);
    this.#logger.warn('the audit log cannot be written; records are being lost', { why });
  }
}

/** For `JSON.stringify`. */
function shortened(_key: string, value: unknown): unknown {
  if (typeof value === 'string' && value.length > maxTextLength) return `${value.slice(0, maxTextLength)}…`;
  return Array.isArray(value) ? value.slice(0, maxListed) : value;
}

interface AuditSink {
  append(bytes: Buffer): Promise<void>;
  close(): Promise<void>;
}

function openSink(
  target: AuditTarget,
  limits: { readonly maxBytes: number; readonly keep: number },
): AuditSink | undefined {
  switch (target.to) {
    case 'file':
      return new RotatingFile({ path: target.path, ...limits });
    case 'stdout':
      return { append: writeToStdout, close: async () => {} };
    case 'off':
      return undefined;
  }
}

const writeToStdout = (bytes: Buffer): Promise<void> =>
  new Promise((resolve, reject) => {
    process.stdout.write(bytes, failure => (failure ? reject(failure) : resolve()));
  });
