// The part of sax that reads reports. @types/sax describes sax 1.2.
declare module 'sax' {
  export type Tag = { name: string; attributes: Record<string, string> }
  export type Parser = {
    line: number
    error: Error | null
    /** The reference that is read, without its marks. */
    entity: string
    onopentag: (tag: Tag) => void
    onclosetag: (name: string) => void
    ontext: (text: string) => void
    oncdata: (text: string) => void
    onerror: (error: Error) => void
    write(text: string): Parser
    close(): Parser
  }
  const sax: { parser(isStrict: boolean, options: { strictEntities: boolean }): Parser }
  export default sax
}
