/** The files of a store, by the path of its database. SQLite's own are removed when it is closed. */
export interface StoreFiles {
  readonly database: string;
  readonly wal: string;
  /** Up to where writes were acknowledged: see `CommitMark`. */
  readonly mark: string;
  /** The checksum of every page of the database: see `PageChecksums`. */
  readonly pages: string;
  /** Copies of damaged pages from before they were made unreadable: see `quarantinePages`. */
  readonly quarantine: string;
}

export const storeFiles = (database: string): StoreFiles => ({
  database,
  wal: `${database}-wal`,
  mark: `${database}-mark`,
  pages: `${database}-pages`,
  quarantine: `${database}-quarantine`,
});
