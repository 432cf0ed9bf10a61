package dev.stint.checks;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

/** The arrows of docs/architecture.md. */
class ArchitectureTest {
  private static final JavaClasses STINT =
      new ClassFileImporter()
          .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
          .importPackages("dev.stint");

  @Test
  void allModulesAreLookedAt() {
    for (String module :
        new String[] {"engine", "storage", "contracts", "redis", "dashboard", "server", "cli"}) {
      assertThat(STINT.stream().anyMatch(c -> c.getPackageName().startsWith("dev.stint." + module)))
          .as(module)
          .isTrue();
    }
  }

  @Test
  void theEngineKnowsOnlyTheJdk() {
    classes()
        .that()
        .resideInAPackage("dev.stint.engine..")
        .should()
        .onlyDependOnClassesThat()
        .resideInAnyPackage("dev.stint.engine..", "java..", "org.slf4j..", "org.jspecify..")
        .check(STINT);
  }

  @Test
  void theRulesKnowNoDatabaseNoThreadsAndNoClock() {
    noClasses()
        .that()
        .haveNameMatching(
            "dev\\.stint\\.engine\\.(Rules|ReportRules|TimeRules|WorkerRules|Revision|Due|Explanation|Fingerprint)")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("java.sql..", "java.util.concurrent..", "java.time..", "java.io..")
        .orShould()
        .callMethod(System.class, "currentTimeMillis")
        .orShould()
        .callMethod(System.class, "nanoTime")
        .check(STINT);
  }

  @Test
  void contractsKnowTheEngineAndNothingElseOfStint() {
    noClasses()
        .that()
        .resideInAPackage("dev.stint.contracts..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(
            "dev.stint.storage..",
            "dev.stint.redis..",
            "dev.stint.server..",
            "dev.stint.cli..",
            "io.helidon..",
            "java.sql..")
        .check(STINT);
  }

  @Test
  void noDialectKnowsAnother() {
    slices().matching("dev.stint.contracts.(*)..").should().notDependOnEachOther().check(STINT);
  }

  @Test
  void storageKnowsTheEngineAndNothingElseOfStint() {
    noClasses()
        .that()
        .resideInAPackage("dev.stint.storage..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(
            "dev.stint.contracts..",
            "dev.stint.redis..",
            "dev.stint.server..",
            "dev.stint.cli..",
            "io.helidon..")
        .check(STINT);
  }

  @Test
  void redisKnowsTheEngineAndTheContractsAndNobodyElseKnowsItsClient() {
    noClasses()
        .that()
        .resideInAPackage("dev.stint.redis..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(
            "dev.stint.storage..", "dev.stint.server..", "dev.stint.cli..", "io.helidon..")
        .check(STINT);
    noClasses()
        .that()
        .resideOutsideOfPackage("dev.stint.redis..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("io.lettuce..", "io.netty..")
        .check(STINT);
  }

  @Test
  void theDashboardKnowsHowAnswersAreGivenAndNothingElseOfStint() {
    classes()
        .that()
        .resideInAPackage("dev.stint.dashboard..")
        .should()
        .onlyDependOnClassesThat()
        .resideInAnyPackage(
            "dev.stint.dashboard..", "dev.stint.contracts", "java..", "org.jspecify..")
        .check(STINT);
  }

  @Test
  void onlyStorageSpeaksSqlAndOnlyTheServerKnowsTheWebServer() {
    noClasses()
        .that()
        .resideOutsideOfPackages("dev.stint.storage..", "dev.stint.bench..", "dev.stint.testkit..")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("java.sql..")
        .check(STINT);
    noClasses()
        .that()
        .resideOutsideOfPackage("dev.stint.server..")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("io.helidon..")
        .check(STINT);
  }

  @Test
  void theOtherEndOfTheWireKnowsNothingOfTheServer() {
    classes()
        .that()
        .resideInAPackage("dev.stint.client..")
        .should()
        .onlyDependOnClassesThat()
        .resideInAnyPackage(
            "dev.stint.client..", "java..", "tools.jackson.core..", "org.jspecify..")
        .check(STINT);
    classes()
        .that()
        .resideInAPackage("dev.stint.worker..")
        .should()
        .onlyDependOnClassesThat()
        .resideInAnyPackage(
            "dev.stint.worker..",
            "dev.stint.client..",
            "java..",
            "javax.net..",
            "com.sun.management..",
            "org.slf4j..",
            "org.jspecify..")
        .check(STINT);
  }

  @Test
  void packagesAreNamedForWhatTheyDo() {
    noClasses()
        .should()
        .resideInAnyPackage("..util..", "..dto..", "..model..", "..common..", "..helper..")
        .check(STINT);
  }
}
