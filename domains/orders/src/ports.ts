/** Bytes of a blob, both ends included. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** Bytes that are reserved for content in transit. Disposing of it releases them: by then the tables count them, or the request failed. */
export interface Reservation extends Disposable {
  /** Takes more. Throws `limit-exceeded`. */
  grow(bytes: number): void;
}

/** Bytes that have arrived as a whole, and are not in the store yet. Disposing of it discards them unless they were kept. */
export interface StagedBlob extends AsyncDisposable {
  /** The SHA-256 in hex. */
  readonly digest: string;
  readonly size: number;
  /** Puts the bytes into the store, durably. A blob that is there already stays as it is. */
  keep(): Promise<void>;
}

/**
 * Bytes by their digest. The caller holds the lock of a digest while it keeps or removes the blob and changes the records
 * that refer to it: the store itself counts no references.
 */
export interface BlobStore {
  /** Takes bytes in as they come. Rejects with whatever the content rejects with, and then leaves nothing behind. */
  stage(content: AsyncIterable<Uint8Array>): Promise<StagedBlob>;
  /** Takes over a file of this machine, which is removed when the blob is kept. */
  stageFile(path: string): Promise<StagedBlob>;
  /** Returns the bytes of a blob. Reading fails with `NotFound` when there is none. */
  read(digest: string, range?: ByteRange): AsyncIterable<Uint8Array>;
  /** Whether there is such a blob. */
  has(digest: string): Promise<boolean>;
  /** Removes a blob; one that is not there is no failure. */
  remove(digest: string): Promise<void>;
  /** All digests, for finding blobs that nothing refers to. */
  digests(): AsyncIterable<string>;
}

/** Bytes by name in the database that replicas share. */
export interface LargeObjects {
  /** Stores content under a name, durably. What is stored there already stays as it is. */
  write(name: string, content: AsyncIterable<Uint8Array>): Promise<void>;
  /** Returns the bytes of an object. Reading fails with `NotFound` when there is none. */
  read(name: string, range?: ByteRange): AsyncIterable<Uint8Array>;
  has(name: string): Promise<boolean>;
  /** Removes an object; one that is not there is no failure. */
  remove(name: string): Promise<void>;
  names(): AsyncIterable<string>;
}

/** Bytes of uploads that are not complete. */
export interface UploadStore {
  /** The bytes that have arrived durably; 0 for an upload that has not begun. */
  size(id: string): Promise<number>;
  /**
   * Appends to an upload and returns its size. What arrived before a failure stays and counts. Calls for the same upload
   * must follow one another.
   */
  append(id: string, content: AsyncIterable<Uint8Array>): Promise<number>;
  /** The file with the bytes. */
  pathOf(id: string): string;
  /** Removes an upload; one that is not there is no failure. */
  remove(id: string): Promise<void>;
  /** The ids of all uploads. */
  ids(): Promise<readonly string[]>;
}

/** A file of a site: a part of the content that was unpacked. */
export interface SiteFile {
  readonly offset: number;
  readonly size: number;
  /** The SHA-256 in hex. */
  readonly digest: string;
}

/** The files of an archive by their paths, such as `docs/index.html`. */
export interface SiteArchive {
  readonly files: ReadonlyMap<string, SiteFile>;
  /** All folders, without the root. */
  readonly folders: ReadonlySet<string>;
}

/**
 * Unpacked archives on this machine, by the digests of the archives' blobs. Whatever is removed is unpacked again when it is
 * needed.
 */
export interface SiteStore {
  /** Returns the files of an archive. Rejects with `invalid` when it is none, breaks a limit, or has unsafe entries. */
  open(digest: string): Promise<SiteArchive>;
  /** Returns bytes of a file. They stay readable when the archive is removed meanwhile. */
  read(digest: string, file: SiteFile, range: ByteRange): Promise<AsyncIterable<Uint8Array>>;
  /** Removes an archive; one that is not there is no failure. */
  remove(digest: string): Promise<void>;
  /** The digests of all archives that are unpacked. */
  digests(): Promise<readonly string[]>;
}
