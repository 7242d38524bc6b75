/** What the REST documents of a product call things. */
export interface ProductNames {
  /** `dinosaurs`: the product's id and the name of its collection. */
  readonly collection: string;
  /** `Dinosaur`. */
  readonly kind: string;
  /** `dinosaur`: the beginning of field names. */
  readonly singular: string;
  /** `/api/dinosaurs_mgmt`. */
  readonly root: string;
  /** `/api/dinosaurs_mgmt/v1`. */
  readonly base: string;
  /** `DINOSAURS-MGMT`. */
  readonly errorPrefix: string;
}

/** Returns the names that follow from a product's id and kind. */
export function productNames({ id, kind }: { readonly id: string; readonly kind: string }): ProductNames {
  const root = `/api/${id}_mgmt`;
  return {
    collection: id,
    kind,
    singular: kind.toLowerCase(),
    root,
    base: `${root}/v1`,
    errorPrefix: `${id.toUpperCase()}-MGMT`,
  };
}
