// Encodes and decodes PackStream, the serialization of Bolt messages, as far as the router needs it.

/** Whole numbers are bigints and fractions numbers, so that what was decoded is encoded again as it was. */
export type Packed = null | boolean | bigint | number | string | Buffer | Packed[] | PackedMap | Structure
export type PackedMap = Map<string, Packed>

/** A Bolt message, or a value such as a node or an instant. */
export class Structure {
  readonly tag: number
  readonly fields: readonly Packed[]

  constructor(tag: number, fields: readonly Packed[]) {
    this.tag = tag
    this.fields = fields
  }
}

export const isMap = (value: Packed | undefined): value is PackedMap => value instanceof Map

export function unpack(bytes: Buffer): Packed {
  const reader = new Reader(bytes)
  return reader.value()
}

/** Values that stand one after the other. */
export function unpackAll(bytes: Buffer): Packed[] {
  const reader = new Reader(bytes)
  const values: Packed[] = []
  while (!reader.isAtEnd) values.push(reader.value())
  return values
}

class Reader {
  readonly #bytes: Buffer
  #at = 0

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  get isAtEnd(): boolean {
    return this.#at === this.#bytes.length
  }

  value(): Packed {
    const marker = this.#uint(1)
    const low = marker & 0x0f
    if (marker <= 0x7f) return BigInt(marker)
    if (marker >= 0xf0) return BigInt(marker - 0x100)
    switch (marker & 0xf0) {
      case 0x80:
        return this.#take(low).toString()
      case 0x90:
        return this.#list(low)
      case 0xa0:
        return this.#map(low)
      case 0xb0:
        return new Structure(this.#uint(1), this.#list(low))
    }
    switch (marker) {
      case 0xc0:
        return null
      case 0xc1:
        return this.#take(8).readDoubleBE()
      case 0xc2:
        return false
      case 0xc3:
        return true
      case 0xc8:
        return BigInt(this.#take(1).readInt8())
      case 0xc9:
        return BigInt(this.#take(2).readInt16BE())
      case 0xca:
        return BigInt(this.#take(4).readInt32BE())
      case 0xcb:
        return this.#take(8).readBigInt64BE()
      case 0xcc:
      case 0xcd:
      case 0xce:
        return this.#take(this.#uint(sizeOf(marker, 0xcc)))
      case 0xd0:
      case 0xd1:
      case 0xd2:
        return this.#take(this.#uint(sizeOf(marker, 0xd0))).toString()
      case 0xd4:
      case 0xd5:
      case 0xd6:
        return this.#list(this.#uint(sizeOf(marker, 0xd4)))
      case 0xd8:
      case 0xd9:
      case 0xda:
        return this.#map(this.#uint(sizeOf(marker, 0xd8)))
    }
    throw new Error(`PackStream has no marker 0x${marker.toString(16)}`)
  }

  #list(size: number): Packed[] {
    return Array.from({ length: size }, () => this.value())
  }

  #map(size: number): PackedMap {
    return new Map(Array.from({ length: size }, () => [String(this.value()), this.value()]))
  }

  #uint(size: number): number {
    return this.#take(size).readUIntBE(0, size)
  }

  #take(size: number): Buffer {
    const end = this.#at + size
    if (end > this.#bytes.length) throw new Error('a PackStream value ends too early')
    const taken = this.#bytes.subarray(this.#at, end)
    this.#at = end
    return taken
  }
}

/** A size follows its marker in one, two or four bytes. */
const sizeOf = (marker: number, first: number): number => 2 ** (marker - first)

export function pack(value: Packed): Buffer {
  if (value === null) return Buffer.from([0xc0])
  if (typeof value === 'boolean') return Buffer.from([value ? 0xc3 : 0xc2])
  if (typeof value === 'bigint') return packInteger(value)
  if (typeof value === 'number') {
    const bytes = Buffer.alloc(9)
    bytes[0] = 0xc1
    bytes.writeDoubleBE(value, 1)
    return bytes
  }
  if (typeof value === 'string') {
    const text = Buffer.from(value)
    return Buffer.concat([header(text.length, 0x80, 0xd0), text])
  }
  if (Buffer.isBuffer(value)) return Buffer.concat([header(value.length, null, 0xcc), value])
  if (Array.isArray(value)) return Buffer.concat([header(value.length, 0x90, 0xd4), ...value.map(pack)])
  if (isMap(value)) {
    const entries = [...value].flatMap(([key, each]) => [pack(key), pack(each)])
    return Buffer.concat([header(value.size, 0xa0, 0xd8), ...entries])
  }
  return Buffer.concat([Buffer.from([0xb0 + value.fields.length, value.tag]), ...value.fields.map(pack)])
}

function packInteger(value: bigint): Buffer {
  if (value >= -16n && value <= 127n) return Buffer.from([Number(value) & 0xff])
  const bytes = Buffer.alloc(9)
  bytes[0] = 0xcb
  bytes.writeBigInt64BE(value, 1)
  return bytes
}

function header(size: number, tiny: number | null, first: number): Buffer {
  if (tiny !== null && size < 16) return Buffer.from([tiny + size])
  if (size < 0x100) return Buffer.from([first, size])
  const bytes = Buffer.alloc(5)
  bytes[0] = first + 2
  bytes.writeUInt32BE(size, 1)
  return bytes
}
