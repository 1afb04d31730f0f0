// Provides the jars of a server and a Java that runs them.
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { findJdk, findOnPath } from './jdk.ts'
import { type Neo4jVersion, type Release, releases } from './releases.ts'

export interface Distribution {
  readonly release: Release
  /** The `java` that runs the server. */
  readonly java: string
  /** The folder with the server's jars. */
  readonly lib: string
}

export type Neo4jAvailability = { available: true } | { available: false; reason: string }

/** Checks whether a server of this version can run here. Fast, and without the network. */
export function neo4jAvailability(version: Neo4jVersion): Neo4jAvailability {
  const release = releases[version]
  if (findJdk(release.java) === undefined) return { available: false, reason: noJdk(release) }
  if (!existsSync(libFolder(release)) && findOnPath('mvn') === undefined) {
    return { available: false, reason: noMaven(release) }
  }
  return { available: true }
}

/** Provides the files of a server of this version; its jars are downloaded the first time. */
export async function provideDistribution(version: Neo4jVersion): Promise<Distribution> {
  const release = releases[version]
  const jdk = findJdk(release.java)
  if (jdk === undefined) throw new Error(noJdk(release))
  await provideJars(version)
  return { release, java: join(jdk, 'bin', 'java'), lib: libFolder(release) }
}

/** Returns the folder of the jars, `$XDG_CACHE_HOME/turngraph/neo4j`, which all checkouts share. */
function cacheFolder(): string {
  return join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'turngraph', 'neo4j')
}

const downloads = new Map<Neo4jVersion, Promise<void>>()

/** Downloads the jars. Servers that one process starts at the same time share one download. */
function provideJars(version: Neo4jVersion): Promise<void> {
  const release = releases[version]
  if (existsSync(libFolder(release))) return Promise.resolve()
  const running = downloads.get(version) ?? download(release).finally(() => downloads.delete(version))
  downloads.set(version, running)
  return running
}

async function download(release: Release): Promise<void> {
  const maven = findOnPath('mvn')
  if (maven === undefined) throw new Error(noMaven(release))
  process.stderr.write(`Downloading Neo4j ${release.number} from Maven Central (once, about 130 MB) ...\n`)
  const target = libFolder(release)
  await mkdir(join(target, '..'), { recursive: true })
  // A sibling of the target, so that the rename stays within one file system and is atomic.
  const folder = await mkdtemp(join(target, '..', 'download-'))
  try {
    const jars = join(folder, 'lib')
    await writeFile(join(folder, 'pom.xml'), pom(release))
    await promisify(execFile)(
      maven,
      ['-q', '-B', 'dependency:copy-dependencies', '-DincludeScope=runtime', `-DoutputDirectory=${jars}`],
      { cwd: folder, maxBuffer: 64 * 1024 * 1024 },
    )
    await publish(jars, target)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function publish(jars: string, target: string): Promise<void> {
  try {
    await rename(jars, target)
  } catch (error) {
    // Another process was first. An existing folder is complete because it was also renamed into place.
    if (!existsSync(target)) throw error
  }
}

function libFolder(release: Release): string {
  return join(cacheFolder(), release.number, 'lib')
}

function noJdk(release: Release): string {
  return `Neo4j ${release.number} needs Java ${release.java.join(' or ')}: set JAVA_HOME_${release.java.at(-1)} or JAVA_HOME, or install one`
}

function noMaven(release: Release): string {
  return `Neo4j ${release.number} is not downloaded yet, and Maven (mvn), which would, is not on PATH`
}

function pom(release: Release): string {
  return `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>turngraph</groupId>
  <artifactId>neo4j-distribution</artifactId>
  <version>1</version>
  <packaging>pom</packaging>
  <dependencies>
    <dependency>
      <groupId>org.neo4j.app</groupId>
      <artifactId>neo4j-server</artifactId>
      <version>${release.number}</version>
    </dependency>
    <dependency>
      <groupId>org.neo4j</groupId>
      <artifactId>neo4j</artifactId>
      <version>${release.number}</version>
    </dependency>
  </dependencies>
</project>
`
}
