import type { JsonObject } from '@chandlery/api';
import { type ProductNames, productNames } from '../../model/product-names.ts';
import type { ProductRow } from '../../registry/fleet-registry.ts';
import { type DocumentedApi, openApiDocument } from './openapi-document.ts';
import type { DocumentedRoute } from './route-document.ts';

/** What the documents are made of. */
export interface OpenApiOptions {
  /** Those of every product. */
  readonly productRoutes: readonly DocumentedRoute[];
  /** Those for operators of the landscape. */
  readonly landscape: DocumentedApi;
  /** Default: {@link openApiDocument}. */
  readonly build?: (title: string, apis: readonly DocumentedApi[]) => JsonObject;
}

/** The OpenAPI documents as text, each built once per revision of the products in it. */
export class OpenApiCache {
  readonly #options: OpenApiOptions;
  readonly #byRow = new WeakMap<ProductRow, string>();
  #overall: { readonly rows: readonly ProductRow[]; readonly text: string } | undefined;

  constructor(options: OpenApiOptions) {
    this.#options = options;
  }

  /** The document of one product. */
  ofProduct(row: ProductRow): string {
    const known = this.#byRow.get(row);
    if (known !== undefined) return known;
    const text = this.#build(`${row.spec.kind} fleet manager`, [this.#apiOf(row)]);
    this.#byRow.set(row, text);
    return text;
  }

  /** The document of all products and of the landscape's own routes. */
  ofAll(rows: readonly ProductRow[]): string {
    const known = this.#overall;
    if (known !== undefined && isSame(known.rows, rows)) return known.text;
    const text = this.#build('Fleet manager', [...rows.map(row => this.#apiOf(row)), this.#options.landscape]);
    this.#overall = { rows, text };
    return text;
  }

  #apiOf(row: ProductRow): DocumentedApi {
    return { names: namesOf(row), routes: this.#options.productRoutes };
  }

  #build(title: string, apis: readonly DocumentedApi[]): string {
    return JSON.stringify((this.#options.build ?? openApiDocument)(title, apis));
  }
}

const namesOf = ({ id, spec }: ProductRow): ProductNames => productNames({ id, kind: spec.kind });

const isSame = (one: readonly ProductRow[], other: readonly ProductRow[]): boolean =>
  one.length === other.length && one.every((row, at) => row === other[at]);
